package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrLocked is returned by Lock while somebody else holds the lock.
var ErrLocked = errors.New("it is being written by another command")

// Lock keeps others that lock it from writing the file at path, or the one that a
// link there leads to, until unlock: by a file beside it, which is the same on every
// system. One that a killed command has left has to be removed by hand; the error
// names it.
func Lock(path string) (unlock func(), err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock := path + ".lock"
	file, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; if none is running, remove %s", ErrLocked, lock)
	}
	if err != nil {
		return nil, err
	}
	_ = file.Close() // nothing was written to lose
	return func() { _ = os.Remove(lock) }, nil
}
