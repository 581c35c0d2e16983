package upstream_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-aggregator/modules/upstream"
)

func TestThePipeToTheClientHoldsAMegabyte(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	upstream.NewOutput(upstream.Stdio{Out: w})
	raw, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err != nil || size < 1<<20 {
			t.Errorf("the pipe holds %d bytes, %v", size, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
