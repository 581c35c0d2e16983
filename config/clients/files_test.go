package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/config/clients"
)

func TestWriteReplacesTheTargetOfALink(t *testing.T) {
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target.json"), filepath.Join(folder, "dots", "link.json")
	write(t, target, "old", 0o640)
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "target.json"), link); err != nil {
		t.Skip("no links here:", err)
	}
	backup, err := clients.Backup(link)
	if err != nil || backup != target+".backup" {
		t.Errorf("backup %q, %v", backup, err)
	}
	if err := clients.Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	want(t, target, "new", 0o640)
	want(t, backup, "old", 0o640)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if again, err := clients.Backup(link); err != nil || again != target+".backup-2" {
		t.Errorf("backup %q, %v", again, err)
	}
	if err := clients.WritePrivate(link, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	want(t, target, "secret", 0o600)
	only(t, folder, "dots", "target.json", "target.json.backup", "target.json.backup-2")
}

func TestANewFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file.json")
	if err := clients.Write(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	want(t, path, "x", 0o600)
	if data, err := clients.Read(filepath.Join(filepath.Dir(path), "none")); data != nil || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if backup, err := clients.Backup(filepath.Join(filepath.Dir(path), "none")); backup != "" || err != nil {
		t.Errorf("%q, %v", backup, err)
	}
}

func TestAFailedWriteLeavesNoFiles(t *testing.T) {
	folder := t.TempDir()
	taken := filepath.Join(folder, "taken.json")
	if err := os.MkdirAll(filepath.Join(taken, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := clients.Write(taken, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	only(t, folder, "taken.json")
	dangling := filepath.Join(folder, "dangling.json")
	if err := os.Symlink("nowhere.json", dangling); err != nil {
		t.Skip("no links here:", err)
	}
	if err := clients.Write(dangling, []byte("x")); !errors.Is(err, clients.ErrDangling) {
		t.Errorf("a link to nothing was written through: %v", err)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // regardless of the umask
		t.Fatal(err)
	}
}

func want(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != text {
		t.Errorf("%s: %q, %v", path, data, err)
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != mode) {
		t.Errorf("%s: %v, %v", path, info.Mode(), err)
	}
}

func only(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(names) {
		t.Fatalf("%v, %v", entries, err)
	}
	for i, entry := range entries {
		if entry.Name() != names[i] {
			t.Errorf("%s, want %s", entry.Name(), names[i])
		}
	}
}

func TestAFileCanBeLockedOnce(t *testing.T) {
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
	if got := in.BackupBefore(path); got != "" {
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
	if got := in.BackupBefore(path); got != path+".backup" {
		t.Errorf("got %q", got)
	}
}
