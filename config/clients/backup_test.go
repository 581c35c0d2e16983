package clients_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-aggregator/config/clients"
)

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
	for i, backup := range []struct { // the oldest first: numbers of deleted ones are used again
		name string
		data []byte
	}{{".backup-3", without("old")}, {".backup-4", with}, {".backup", without("later")}, {".backup-2", with}} {
		if err := os.WriteFile(path+backup.name, backup.data, 0o600); err != nil {
			t.Fatal(err)
		}
		made := time.Unix(1_000_000_000+int64(i), 0)
		if err := os.Chtimes(path+backup.name, made, made); err != nil {
			t.Fatal(err)
		}
	}
	if got := in.Before(path); got != path+".backup" {
		t.Errorf("got %q", got)
	}
}
