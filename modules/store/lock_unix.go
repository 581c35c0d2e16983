//go:build unix

package store

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// lockFile locks the file, under whatever name it was opened, until it is closed. It
// returns errInUse if another program holds the lock. It locks a byte that SQLite does not
// use, and on Unix it locks the open file: SQLite's own locks belong to the process and
// come and go independently.
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

// lockCommand returns F_OFD_SETLK where the system has it.
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

// isFull reports whether err means that the disk is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// linkCount returns how many names the file has.
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
