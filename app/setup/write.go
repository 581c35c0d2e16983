package app

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"mcp-aggregator/config/clients"
)

// put writes a file, with a backup beside it, or shows the change. A file that
// is as it was is left alone.
func (in *installation) put(path string, before, after []byte, shown clients.Shown, write func(string, []byte) error) error {
	if bytes.Equal(before, after) && before != nil {
		return nil
	}
	if in.DryRun {
		_, err := fmt.Fprint(in.o.Stdout, harmlessLines(clients.Diff(path, before, after, shown)))
		return err
	}
	now, err := clients.Read(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return fmt.Errorf("%s has just been changed by another program; run this again", quoted(path))
	}
	backup, err := clients.Backup(path)
	if err != nil {
		return fmt.Errorf("backup of %s cannot be made: %w; allow writing to its folder", quoted(path), err)
	}
	if err := write(path, after); err != nil {
		return unwritable(path, err)
	}
	fmt.Fprintf(in.o.Stdout, "wrote %s%s\n", quoted(path), backupNote(backup))
	return nil
}

func backupNote(backup string) string {
	if backup == "" {
		return ""
	}
	return " (as it was: " + quoted(backup) + ")"
}

// sameTarget reports whether two paths lead to one file, which need not be there
// yet.
func sameTarget(a, b string) bool {
	return sameFile(a, b) || resolved(a) == resolved(b)
}

// resolved follows links as far as the path leads somewhere.
func resolved(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path
	}
	return filepath.Join(folder, filepath.Base(path))
}

// unwritable says how to fix what keeps a file from being written.
func unwritable(path string, err error) error {
	if errors.Is(err, clients.ErrDangling) || errors.Is(err, clients.ErrIrregular) {
		return fmt.Errorf("%s cannot be written: %w", quoted(path), errors.Unwrap(err))
	}
	return fmt.Errorf("%s cannot be written: %w; allow writing to its folder", quoted(path), err)
}
