package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// lockedByte is far behind those that SQLite locks.
const lockedByte = 1 << 40

// errInUse is the answer to who would use a file that somebody uses.
var errInUse = errors.New("another mcp-aggregator uses it: stop that one, or name another database")

// errFull is what to do about a full disk.
var errFull = errors.New("the disk is full: make room")

// file is the file of an SQLite database, open for as long as SQLite uses it: to close any
// descriptor of a file takes away the locks that the process has on it.
type file struct {
	*os.File

	path string // absolute
}

// openFile makes the file and its folders, for their owner alone, if they do not
// exist.
func openFile(path string) (*file, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("database %s: its folder cannot be made: %w", path, fileRefusal(err))
	}
	opened, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("database %s: it cannot be written: %w", path, fileRefusal(err))
	}
	return &file{opened, path}, nil
}

// lock keeps others from using the database: two services would run every stdio server
// twice.
func (f *file) lock() error {
	switch err := lockFile(f.File); {
	case errors.Is(err, errInUse):
		return fmt.Errorf("database %s: %w", f.path, err)
	case err != nil:
		return fmt.Errorf("database %s: it cannot be locked: %w", f.path, fileRefusal(err))
	}
	return nil
}

// named returns an error when the file has other names: after the end of a process, what
// is not in the file yet stands beside one of them, and is lost to who uses another.
func (f *file) named() error {
	if names, err := links(f.File); err == nil && names > 1 {
		return fmt.Errorf("database %s: the file has %d names (hard links), and SQLite keeps changes beside the one "+
			"that it is opened by: remove the others", f.path, names)
	}
	return nil
}

// intact returns an error when what has the name is not the file any more: what is
// written then is lost.
func (f *file) intact() error {
	opened, err := f.Stat()
	if err != nil {
		return fmt.Errorf("database %s: %w", f.path, fileRefusal(err))
	}
	named, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("database %s: the file was removed: restart the service", f.path)
	case err != nil:
		return fmt.Errorf("database %s: %w", f.path, fileRefusal(err))
	case !os.SameFile(opened, named):
		return fmt.Errorf("database %s: the file was replaced by another one: restart the service", f.path)
	}
	return nil
}

// fileRefusal says what to do about a file, whose path is known.
func fileRefusal(err error) error {
	switch path, ok := errors.AsType[*fs.PathError](err); {
	case isFull(err):
		return errFull
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied: give this user the right to, or name another database")
	case ok:
		return path.Err
	}
	return err
}
