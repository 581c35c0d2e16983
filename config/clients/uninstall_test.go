package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

// migration is a client's file whose servers move to ours during an install.
type migration struct {
	clients.Installation

	path string // of the client's file; its backups are beside it
	ours []byte
}

func newMigration(t *testing.T, key string) *migration {
	t.Helper()
	return &migration{Installation: installation(t, key), path: filepath.Join(t.TempDir(), "c.json")}
}

// move backs up the client's file and returns it with the entry instead of the servers.
func (m *migration) move(t tb, before string) string {
	t.Helper()
	if err := os.WriteFile(m.path+".backup", []byte(before), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	moved, err := clients.Migration{
		Client: m.Client, File: m.File, Self: m.Command, Key: m.Key, Ours: "/home/you/mcp.json",
		System: clients.System{GOOS: "linux"},
	}.Move([]byte(before), m.ours)
	if err != nil {
		t.Fatalf("%v", err)
	}
	m.ours = moved.Ours
	return mustInstall(t, m.Installation, string(moved.Client))
}

// restore removes the entry and restores the servers.
func (m *migration) restore(t tb, installed string) clients.RestorationResult {
	t.Helper()
	out, _, err := m.Uninstall([]byte(installed))
	if err != nil {
		t.Fatalf("%v of\n%s", err, installed)
	}
	file, err := config.Read("mcp.json", m.ours)
	if err != nil {
		t.Fatalf("%v", err)
	}
	restored, err := clients.Restoration{
		Installation: m.Installation, System: clients.System{GOOS: "linux"}, Ours: file, Name: "mcp.json",
	}.Restore(m.path, out)
	if err != nil {
		t.Fatalf("%v of\n%s", err, out)
	}
	return restored
}

func TestRestoreRevertsMove(t *testing.T) {
	for _, key := range []string{"claude-desktop", "vscode"} {
		m := newMigration(t, key)
		rapid.Check(t, func(t *rapid.T) {
			m.ours = nil
			before := clientFile(t, m.Client.Servers)
			installed := m.move(t, before)
			if restored := m.restore(t, installed); string(restored.Client) != before || restored.Notes != nil {
				t.Fatalf("%+v\nbefore\n%s\ninstalled\n%s\nafter\n%s", restored.Notes, before, installed, restored.Client)
			}
		})
	}
}

func TestRestoreKeepsLaterChanges(t *testing.T) {
	const (
		before = `{
  "mcpServers": {
    "a": { "command": "x", "args": ["1",  "2"] }, // kept
    "gone": {"command": "y"},
    "web": {"url": "https://example.com"}
  }
}`
		want = `{
  "theme": "dark",
  "mcpServers": {
    "web": {"url": "https://example.com"},
    "a": { "command": "x", "args": ["1",  "2"] }
  }
}`
	)
	m := newMigration(t, "claude-desktop")
	installed := m.move(t, before)
	installed = strings.Replace(installed, "{\n", "{\n  \"theme\": \"dark\",\n", 1)
	installed = strings.Replace(installed, " // kept", "", 1)
	m.ours = []byte(`{"mcpServers": {"a": {"command": "z"}}}`) // and one was removed there
	restored := m.restore(t, installed)
	if string(restored.Client) != want {
		t.Errorf("got\n%s\nwant\n%s", restored.Client, want)
	}
	if len(restored.Notes) != 1 || restored.Notes[0].Text != "it is restored as it was before the move; mcp.json has a changed version" {
		t.Errorf("notes: %v", restored.Notes)
	}
	if again, err := m.Install(restored.Client); err != nil || m.restore(t, string(again)).Keys != nil {
		t.Errorf("a second time: %v", err)
	}
}

// A backup may have been made while the entry was installed.
func TestRestoreFindsServersThatMovedLater(t *testing.T) {
	m := newMigration(t, "cursor")
	installed := m.move(t, `{"mcpServers": {"a": {"command": "x"}}}`)
	later := strings.Replace(installed, `"mcpServers": {`, `"mcpServers": {"b": {"command": "y"}, `, 1)
	if err := os.Rename(m.path+".backup", m.path+".backup-2"); err != nil {
		t.Fatal(err)
	}
	long := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(m.path+".backup-2", long, long); err != nil {
		t.Fatal(err)
	}
	restored := m.restore(t, m.move(t, later))
	if want := `{"mcpServers": {"b": {"command": "y"}, "a": {"command": "x"}}}`; string(restored.Client) != want {
		t.Errorf("got\n%s\nwant\n%s", restored.Client, want)
	}
}
