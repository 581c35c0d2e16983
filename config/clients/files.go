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

// privateMode is the mode of a file that may contain secrets.
const privateMode = 0o600

// Errors for paths that are not replaced, wrapped in a [fs.PathError].
var (
	ErrIrregular = errors.New("this is not a regular file; name the file itself")
	ErrDangling  = errors.New("this is a link to a file that does not exist; remove the link")
)

// Read returns the contents of a file, nil without an error if it does not exist. It
// does not block on a pipe or a device.
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

// Write atomically replaces the file at path, or the target of a link there. It keeps
// the mode and, if the system allows it, the owner. A new file or folder is accessible to
// the user only.
func Write(path string, data []byte) error {
	path, info, err := resolveTarget(path)
	if err != nil {
		return err
	}
	return replaceFile(path, data, info)
}

// WritePrivate is like Write, but afterwards only the owner can read the file.
func WritePrivate(path string, data []byte) error {
	path, info, err := resolveTarget(path)
	if err != nil {
		return err
	}
	info.mode = privateMode
	return replaceFile(path, data, info)
}

// attributes are the attributes that a replaced file keeps.
type attributes struct {
	mode fs.FileMode
	info fs.FileInfo // nil for a new file
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

// Writable returns the error that Write would return for the file at path, as far as that
// is known without writing.
func Writable(path string) error {
	_, _, err := resolveTarget(path)
	return err
}

// resolveTarget follows links and returns the attributes of the file.
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

// ErrLocked is returned by Lock while another process holds the lock.
var ErrLocked = errors.New("it is being written by another command")

// Lock locks the file at path, or the target of a link there, for writing by creating a
// lock file beside it, which works on every system. A lock file that a killed command has
// left must be removed by hand; the error names it.
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
	_ = file.Close() // nothing was written
	return func() { _ = os.Remove(lock) }, nil
}

// backupSuffix is the suffix of the first backup of a file.
const backupSuffix = ".backup"

// Backup copies the file at path, or the target of a link there, to a new file beside it
// and returns the path of the copy; "" if there is no file.
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

// BackupBefore returns the newest backup of the file at path without the entry: the file
// as it was before the entry was installed; "" if there is none. It goes by time, because
// numbers of deleted backups are used again.
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

// backups returns the paths of the backups of the file at path, the newest first.
func backups(path string) (names []string) {
	files, _ := os.ReadDir(filepath.Dir(path)) // an unreadable folder counts as empty
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
