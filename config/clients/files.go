package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// privateMode is the mode of a file that may hold secrets.
const privateMode = 0o600

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
	path, info, err := resolveTarget(path)
	if err != nil {
		return err
	}
	return replaceFile(path, data, info)
}

// WritePrivate is like Write, and only the owner may read the file afterwards.
func WritePrivate(path string, data []byte) error {
	path, info, err := resolveTarget(path)
	if err != nil {
		return err
	}
	info.mode = privateMode
	return replaceFile(path, data, info)
}

// attributes is what is kept of a file that is replaced.
type attributes struct {
	mode fs.FileMode
	info fs.FileInfo // nil if there was none
}

func replaceFile(path string, data []byte, as attributes) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".*.tmp")
	if err != nil {
		return err
	}
	if err := writeAndClose(temporary, data, as); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

func writeAndClose(file *os.File, data []byte, as attributes) error {
	_, err := file.Write(data)
	keepOwner(file, as.info)
	return errors.Join(err, file.Chmod(as.mode), file.Sync(), file.Close())
}

// Writable tells why Write would refuse the file at path, as far as that can be told
// without writing.
func Writable(path string) error {
	_, _, err := resolveTarget(path)
	return err
}

// resolveTarget follows links.
func resolveTarget(path string) (file string, as attributes, err error) {
	file, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(path); dangling == nil {
			return "", attributes{}, &fs.PathError{Op: "write", Path: path, Err: ErrDangling}
		}
		return path, attributes{mode: privateMode}, nil
	}
	if err != nil {
		return "", attributes{}, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", attributes{}, err
	}
	if !info.Mode().IsRegular() {
		return "", attributes{}, &fs.PathError{Op: "write", Path: path, Err: ErrIrregular}
	}
	return file, attributes{info.Mode().Perm(), info}, nil
}

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
	file, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateMode)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; if none is running, remove %s", ErrLocked, lock)
	}
	if err != nil {
		return nil, err
	}
	_ = file.Close() // nothing was written to lose
	return func() { _ = os.Remove(lock) }, nil
}

// backupSuffix is what the name of a file's first backup ends with.
const backupSuffix = ".backup"

// Backup copies the file at path to a new one beside it, or beside the one
// that a link there leads to, and returns its path; "" if there is no file.
func Backup(path string) (backup string, err error) {
	data, err := Read(path)
	if data == nil || err != nil {
		return "", err
	}
	path, as, err := resolveTarget(path)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		backup = path + backupSuffix
		if n > 1 {
			backup = fmt.Sprintf("%s-%d", backup, n)
		}
		file, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, as.mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return backup, writeAndClose(file, data, as)
	}
}

// BackupBefore returns the newest backup of the file at path that does not hold the entry
// with that key: the file as it was before the entry was installed; "" if there is
// none. Backups may have been deleted, and their numbers used again.
func (in Installation) BackupBefore(path string) (backup string) {
	for _, name := range backups(path) {
		data, err := Read(name)
		if err != nil {
			continue
		}
		if _, _, err := in.Uninstall(data); errors.Is(err, ErrNotInstalled) {
			return name
		}
	}
	return ""
}

// backups returns the backups of the file at path, the newest first.
func backups(path string) (names []string) {
	files, _ := os.ReadDir(filepath.Dir(path)) // what cannot be read has none
	made := make(map[string]time.Time)
	for _, file := range files {
		info, err := file.Info()
		if err != nil || !strings.HasPrefix(file.Name(), filepath.Base(path)+backupSuffix) {
			continue
		}
		name := filepath.Join(filepath.Dir(path), file.Name())
		names, made[name] = append(names, name), info.ModTime()
	}
	slices.SortStableFunc(names, func(a, b string) int { return made[b].Compare(made[a]) })
	return names
}
