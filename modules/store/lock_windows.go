package store

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// Of the Win32 API: LockFileEx's flags, and the errors that tell something.
const (
	failImmediately = 1
	exclusive       = 2

	lockViolation = syscall.Errno(33)
	handleDisk    = syscall.Errno(39)
	diskFull      = syscall.Errno(112)
)

// lockFile locks the file, under whatever name it was opened, until it is closed. It
// returns errInUse if another program holds the lock. It locks a byte that SQLite does not
// use, and on Unix it locks the open file: SQLite's own locks belong to the process and
// come and go independently.
func lockFile(file *os.File) error {
	at := syscall.Overlapped{OffsetHigh: lockedByte >> 32}
	done, _, err := lockFileEx.Call(file.Fd(), failImmediately|exclusive, 0, 1, 0, uintptr(unsafe.Pointer(&at))) //nolint:gosec // the Win32 call takes a structure
	switch {
	case done != 0:
		return nil
	case errors.Is(err, lockViolation):
		return errInUse
	default:
		return err
	}
}

// isFull reports whether err means that the disk is full.
func isFull(err error) bool { return errors.Is(err, diskFull) || errors.Is(err, handleDisk) }

// linkCount returns how many names the file has.
func linkCount(file *os.File) (uint64, error) {
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(file.Fd()), &info); err != nil {
		return 0, err
	}
	return uint64(info.NumberOfLinks), nil
}
