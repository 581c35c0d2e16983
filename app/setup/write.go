package setup

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config/clients"
)

// write writes a file, with a backup beside it, or prints the change if nothing is to
// be written. It does nothing if the content has not changed.
func (in *installation) write(path string, before, after []byte, shown clients.Shown, writeFile func(string, []byte) error) error {
	if bytes.Equal(before, after) && before != nil {
		return nil
	}
	if in.DryRun {
		_, err := fmt.Fprint(in.o.Stdout, cli.Plain(clients.Diff(path, before, after, shown)))
		return err
	}
	now, err := clients.Read(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return fmt.Errorf("%s has just been changed by another program; run this again", cli.Quote(path))
	}
	backup, err := clients.Backup(path)
	if err != nil {
		return fmt.Errorf("backup of %s cannot be made: %w; allow writing to its folder", cli.Quote(path), err)
	}
	if err := writeFile(path, after); err != nil {
		return unwritable(path, err)
	}
	fmt.Fprintf(in.o.Stdout, "wrote %s%s\n", cli.Quote(path), backupNote(backup))
	return nil
}

func backupNote(backup string) string {
	if backup == "" {
		return ""
	}
	return " (as it was: " + cli.Quote(backup) + ")"
}

// sameTarget reports whether two paths lead to one file, which need not exist yet.
func sameTarget(a, b string) bool {
	return sameFile(a, b) || resolved(a) == resolved(b)
}

// resolved follows the links of a path whose last element need not exist.
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

// unwritable adds to the error of a write how to fix it.
func unwritable(path string, err error) error {
	if errors.Is(err, clients.ErrDangling) || errors.Is(err, clients.ErrIrregular) {
		return fmt.Errorf("%s cannot be written: %w", cli.Quote(path), errors.Unwrap(err))
	}
	return fmt.Errorf("%s cannot be written: %w; allow writing to its folder", cli.Quote(path), err)
}
