package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// wide is the size of the pipe that the aggregator requests for its standard output, in
// bytes.
const wide = 1 << 20

// widen increases the capacity of a pipe if the system allows it.
func widen(pipe *os.File) {
	_, _ = unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, wide) // optional
}
