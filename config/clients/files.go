package clients

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// private is the mode of a file that may hold secrets.
const private = 0o600

// What a file may be that is not replaced; both are wrapped in a [fs.PathError].
var (
	ErrIrregular = errors.New("this is no regular file; name the file itself")
	ErrDangling  = errors.New("this is a link to a file that is not there; remove the link")
)

// Read returns a file's bytes; nil without an error if there is none. A pipe or
// a device is not waited for.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrIrregular}
	}
	data, err := os.ReadFile(path)
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// Write replaces the file at path, or the one that a link there leads to, as a
// whole or not at all. Its mode is kept, and its owner if the system allows it;
// a new one is the user's alone, as is a folder that is missing.
func Write(path string, data []byte) error {
	path, info, err := target(path)
	if err != nil {
		return err
	}
	return replaceFile(path, data, info)
}

// WritePrivate is like Write, and only the owner may read the file afterwards.
func WritePrivate(path string, data []byte) error {
	path, info, err := target(path)
	if err != nil {
		return err
	}
	info.mode = private
	return replaceFile(path, data, info)
}

// owned is what is kept of a file that is replaced.
type owned struct {
	mode fs.FileMode
	info fs.FileInfo // nil if there was none
}

func replaceFile(path string, data []byte, as owned) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".*.tmp")
	if err != nil {
		return err
	}
	if err := fill(temporary, data, as); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

func fill(file *os.File, data []byte, as owned) error {
	_, err := file.Write(data)
	keepOwner(file, as.info)
	return errors.Join(err, file.Chmod(as.mode), file.Sync(), file.Close())
}

// Writable tells why Write would refuse the file at path, as far as that can be told
// without writing.
func Writable(path string) error {
	_, _, err := target(path)
	return err
}

// target follows links.
func target(path string) (file string, as owned, err error) {
	file, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(path); dangling == nil {
			return "", owned{}, &fs.PathError{Op: "write", Path: path, Err: ErrDangling}
		}
		return path, owned{mode: private}, nil
	}
	if err != nil {
		return "", owned{}, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", owned{}, err
	}
	if !info.Mode().IsRegular() {
		return "", owned{}, &fs.PathError{Op: "write", Path: path, Err: ErrIrregular}
	}
	return file, owned{info.Mode().Perm(), info}, nil
}
