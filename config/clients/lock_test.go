package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-aggregator/config/clients"
)

func TestAFileIsLockedForOneAtATime(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "mcp.json")
	link := filepath.Join(folder, "link.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no links here")
	}
	unlock, err := clients.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clients.Lock(link); !errors.Is(err, clients.ErrLocked) || !strings.Contains(err.Error(), path+".lock") {
		t.Errorf("locked twice: %v", err)
	}
	unlock()
	again, err := clients.Lock(link)
	if err != nil {
		t.Fatal(err)
	}
	again()
	if left, _ := filepath.Glob(filepath.Join(folder, "*.lock")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
