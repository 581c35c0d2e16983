//go:build unix

package store

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// lockFile locks the file until it is closed, whatever name it is known by. It returns
// errInUse if another one has. The lock is of a byte that SQLite does not lock, and of the
// open file: SQLite's own, which are the process's, come and go beside it.
func lockFile(file *os.File) error {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: lockedByte, Len: 1}
	err := syscall.FcntlFlock(file.Fd(), lockCommand(), &lock)
	if errors.Is(err, syscall.EINVAL) && runtime.GOOS == "linux" { // a sandbox without such locks
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return errInUse
	}
	return err
}

// lockCommand is F_OFD_SETLK where there is one.
func lockCommand() int {
	switch runtime.GOOS {
	case "linux", "android":
		return 37
	case "darwin", "ios":
		return 90
	default:
		return syscall.F_SETLK
	}
}

// isFull reports that there is no room for a file.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// linkCount is how many names a file has.
func linkCount(file *os.File) (uint64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink), nil //nolint:unconvert // of another type on other systems
	}
	return 1, nil
}
