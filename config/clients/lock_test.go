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

func TestTheFileBeforeAnInstallIsTheNewestBackupWithoutTheEntry(t *testing.T) {
	client, _ := clients.Find("cursor")
	in := clients.Installation{Client: client, File: "c.json", Key: "aggregator", Command: "/bin/mcp-simple-aggregator", Args: []string{"--config", "/m.json"}}
	without := func(key string) []byte { return []byte(`{"mcpServers":{"` + key + `":{"command":"x"}}}`) }
	with, err := in.Install(without("a"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "c.json")
	if got := in.Before(path); got != "" {
		t.Errorf("without any backup: %q", got)
	}
	for name, data := range map[string][]byte{".backup": without("old"), ".backup-2": with, ".backup-3": without("later"), ".backup-4": with} {
		if err := os.WriteFile(path+name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := in.Before(path); got != path+".backup-3" {
		t.Errorf("got %q", got)
	}
}
