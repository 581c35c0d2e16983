package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// private is the mode of a file that may hold secrets.
const private = 0o600

// Read returns a file's bytes; nil without an error if there is none.
func Read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// Write replaces the file at path, or the one that a link there leads to, as a
// whole or not at all. Its mode is kept; a new one is the user's alone, as is
// a folder that is missing.
func Write(path string, data []byte) error {
	path, mode, err := target(path)
	if err != nil {
		return err
	}
	return replaceFile(path, data, mode)
}

// WritePrivate is like Write, and the file is the user's alone afterwards.
func WritePrivate(path string, data []byte) error {
	path, _, err := target(path)
	if err != nil {
		return err
	}
	return replaceFile(path, data, private)
}

func replaceFile(path string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".*.tmp")
	if err != nil {
		return err
	}
	if err := fill(temporary, data, mode); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

func fill(file *os.File, data []byte, mode fs.FileMode) error {
	_, err := file.Write(data)
	return errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
}

// target follows links.
func target(path string) (file string, mode fs.FileMode, err error) {
	file, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(path); dangling == nil {
			return "", 0, err
		}
		return path, private, nil
	}
	if err != nil {
		return "", 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", 0, err
	}
	return file, info.Mode().Perm(), nil
}

// Backup copies the file at path to a new one beside it, or beside the one
// that a link there leads to, and returns its path; "" if there is no file.
func Backup(path string) (backup string, err error) {
	data, err := Read(path)
	if data == nil || err != nil {
		return "", err
	}
	path, mode, err := target(path)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		backup = path + ".backup"
		if n > 1 {
			backup = fmt.Sprintf("%s-%d", backup, n)
		}
		file, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return backup, fill(file, data, mode)
	}
}
