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

// backupEnd is what the name of a file's first backup ends with.
const backupEnd = ".backup"

// Backup copies the file at path to a new one beside it, or beside the one
// that a link there leads to, and returns its path; "" if there is no file.
func Backup(path string) (backup string, err error) {
	data, err := Read(path)
	if data == nil || err != nil {
		return "", err
	}
	path, as, err := target(path)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		backup = path + backupEnd
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
		return backup, fill(file, data, as)
	}
}

// Before returns the newest backup of the file at path that does not hold the entry
// with that key: the file as it was before the entry was installed; "" if there is
// none. Backups may have been deleted, and their numbers used again.
func (in Installation) Before(path string) (backup string) {
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
		if err != nil || !strings.HasPrefix(file.Name(), filepath.Base(path)+backupEnd) {
			continue
		}
		name := filepath.Join(filepath.Dir(path), file.Name())
		names, made[name] = append(names, name), info.ModTime()
	}
	slices.SortStableFunc(names, func(a, b string) int { return made[b].Compare(made[a]) })
	return names
}
