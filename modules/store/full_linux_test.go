package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-aggregator/modules/store"
)

func TestAFullDiskIsCalledOne(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	path := filepath.Join(folder, "a.db")
	for _, when := range []string{"with a database", "before there is one"} {
		if when == "with a database" {
			s, err := store.Open(t.Context(), path, quiet())
			if err != nil {
				t.Fatal(err)
			}
			_ = s.Close()
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		_ = os.WriteFile(filepath.Join(folder, "stuff"), make([]byte, 1<<20), 0o600) // as much as there is room for
		_, err := store.Open(t.Context(), path, quiet())
		if err == nil || !strings.Contains(err.Error(), "disk is full") || strings.Contains(err.Error(), "another") {
			t.Errorf("%s: %v", when, err)
		}
		t.Log(err)
	}
}
