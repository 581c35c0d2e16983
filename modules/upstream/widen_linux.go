package upstream

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// wide is how much the client's pipe shall hold, in bytes: what any user may ask
// for (pipe(7), pipe-max-size). Long lists and results take fewer switches between
// the client and us: a list of 10,000 tools takes a quarter longer without.
const wide = 1 << 20

// widen makes room in w, if it is a pipe and the system agrees.
func widen(w io.Writer) {
	file, ok := w.(*os.File)
	if !ok {
		return
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < wide {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, wide) // it works as it is, too
		}
	})
}
