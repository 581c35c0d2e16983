//go:build unix

package child

import (
	"os"
	"syscall"
)

// stdin is the pipe to a child's standard input.
type stdin struct {
	*os.File
	raw syscall.RawConn
}

func newStdin(f *os.File) stdin {
	raw, _ := f.SyscallConn() // an open file has one
	return stdin{f, raw}
}

// TryWrite implements TryWriter: Go's files are not blocking.
func (s stdin) TryWrite(p []byte) (n int, err error) {
	if e := s.raw.Write(func(fd uintptr) bool {
		n, err = syscall.Write(int(fd), p)
		return true
	}); e != nil {
		return 0, e
	}
	return max(n, 0), err
}
