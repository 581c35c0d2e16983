//go:build unix

package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mcp-aggregator/config/clients"
)

func TestWriteKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	path := filepath.Join(t.TempDir(), "f.json")
	write(t, path, "old", 0o640)
	if err := os.Chown(path, 4321, 1234); err != nil {
		t.Skip("owners cannot be changed here:", err)
	}
	if err := clients.Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	want(t, path, "new", 0o640)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != 4321 || stat.Gid != 1234 {
		t.Errorf("%+v", info.Sys())
	}
}

// Reading a pipe could block forever, and a device cannot hold a configuration.
func TestOnlyRegularFilesAreReadAndReplaced(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	for _, path := range []string{pipe, os.DevNull, filepath.Dir(pipe)} {
		if _, err := clients.Read(path); !errors.Is(err, clients.ErrIrregular) {
			t.Errorf("reading %s: %v", path, err)
		}
		if err := clients.Write(path, []byte("x")); !errors.Is(err, clients.ErrIrregular) {
			t.Errorf("writing %s: %v", path, err)
		}
	}
	only(t, filepath.Dir(pipe), "pipe")
}
