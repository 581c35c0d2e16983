package store_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/store"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// writeFile writes a file and returns its path.
func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const password = "hunter2canary"

func TestWhatCannotBeOpenedIsRefusedWithTheReason(t *testing.T) {
	for name, test := range map[string]struct{ url, want string }{
		"nothing":                      {"", "name a file"},
		"a scheme alone":               {"sqlite:", "name a file"},
		"memory":                       {":memory:", "name a file"},
		"another database":             {"mysql://root:" + password + "@localhost/x", `"mysql" is not a supported database`},
		"a folder below a file":        {filepath.Join(writeFile(t, "x"), "below", "db"), "its folder cannot be created"},
		"a folder":                     {t.TempDir(), "it cannot be written"},
		"a file of something else":     {writeFile(t, strings.Repeat("no database ", 100)), "the file is not an SQLite database"},
		"a damaged database":           {writeFile(t, "SQLite format 3\x00\x10\x00\x02\x02\x00\x40\x20\x20"+strings.Repeat("\xff", 8192)), "the file is "},
		"a file URL with parameters":   {"file:///tmp/x?mode=ro&key=" + password, "without parameters"},
		"a file URL of another host":   {"file://host/tmp/x", "local file"},
		"a file URL of nonsense":       {"file:%zz", "file URL"},
		"an unreachable PostgreSQL":    {"postgres://u:" + password + "@127.0.0.1:1/db", "database db at 127.0.0.1:1: it cannot be reached: "},
		"a PostgreSQL of two hosts":    {"postgresql://u:" + password + "@127.0.0.1:1,127.0.0.1:2/db", "it cannot be reached: "},
		"a password of a colon":        {"postgres://u:" + password + ":@@127.0.0.1:1/db", "cannot be re"},
		"a password of a slash":        {"postgres://u:" + password + "/x@127.0.0.1:1/db", "the PostgreSQL URL cannot be read"},
		"a password of a per cent":     {"postgres://u:" + password + "%zz@127.0.0.1:1/db", "the PostgreSQL URL cannot be read"},
		"a password as a parameter":    {"postgres://127.0.0.1:1/db?user=u&password=" + password + "&sslmode=nonsense", "the PostgreSQL URL cannot be read"},
		"a password before a bad port": {"postgres://u:" + password + "@127.0.0.1:port/db", "the PostgreSQL URL cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := store.Open(t.Context(), test.url, quiet())
			if err == nil {
				s.Close() //nolint:errcheck // it should not have been opened
				t.Fatal("it was opened")
			}
			if text := err.Error(); !strings.Contains(text, test.want) || strings.Contains(text, "\n") || strings.Contains(text, password) {
				t.Errorf("got %q", text)
			}
		})
	}
}

func TestAPostgreSQLThatRefusesSaysWhy(t *testing.T) {
	url := strings.Replace(postgres.Database(t), "/test", "/none", 1)
	if _, err := store.Open(t.Context(), url, quiet()); err == nil || !strings.Contains(err.Error(), `the server refused the connection: database "none`) {
		t.Errorf("got %v", err)
	}
}

func TestAFileCanBeNamedInSeveralWays(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a b%20?#&;é", "deep", "x.db")
	first, err := store.Open(t.Context(), path, quiet())
	if err != nil {
		t.Fatal(err)
	}
	id := register(t, first)
	_ = first.Close()
	escaped := strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", " ", "%20").Replace(path)
	for _, url := range []string{"sqlite:" + path, "sqlite://" + path, "file:" + escaped, "file://" + escaped, "file://localhost" + escaped} {
		s, err := store.Open(t.Context(), url, quiet())
		if err != nil {
			t.Fatal(err)
		}
		if all, err := s.Servers(t.Context()); err != nil || len(all) != 1 || all[0].ID != id {
			t.Errorf("%s: %v, %v", url, all, err)
		}
		_ = s.Close()
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	t.Chdir(folder)
	for url, name := range map[string]string{"near.db": "near.db", "sqlite:a:b.db": "a:b.db", "file:c%20d.db": "c d.db", "odd:.db": "odd:.db"} {
		register(t, open(t, url))
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestTheFilesAreReadableByTheirOwnerOnly(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "new", "er")
	register(t, open(t, filepath.Join(folder, "x.db")))
	for path, want := range map[string]os.FileMode{
		filepath.Join(root, "new"): 0o700, folder: 0o700,
		filepath.Join(folder, "x.db"): 0o600, filepath.Join(folder, "x.db-wal"): 0o600, filepath.Join(folder, "x.db-shm"): 0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestOneProgramUsesAFileAtATime(t *testing.T) {
	path := newFile(t)
	first, err := store.Open(t.Context(), path, quiet())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), path, quiet()); err == nil || !strings.Contains(err.Error(), "another mcp-aggregator uses it") {
		t.Errorf("a second one: %v", err)
	}
	for what, err := range map[string]error{"down": store.MigrateDown(t.Context(), path), "up": store.MigrateUp(t.Context(), path)} {
		if err == nil || !strings.Contains(err.Error(), "another mcp-aggregator uses it") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if all, err := store.Migrations(t.Context(), path); err != nil || len(all) == 0 {
		t.Errorf("its migrations: %v, %v", all, err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	register(t, open(t, path))
}

func TestAnUnreadableConfigurationIsNamed(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			s := open(t, url)
			id := register(t, s)
			executeSQL(t, url, "UPDATE external_servers SET connection_config = '{'")
			_, list := s.Servers(t.Context())
			for what, err := range map[string]error{"list": list, "update": rename(t.Context(), s, id, "x")} {
				if err == nil || !strings.Contains(err.Error(), `server "n`+id+`": connection_config: `) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

func TestTheModuleOpensAndClosesTheStore(t *testing.T) {
	var records servers.Store
	var cluster servers.Cluster
	app := fxtest.New(t, fx.Supply(store.URL(newFile(t)), store.Migrated(false), quiet()), store.Module, fx.Populate(&records, &cluster))
	app.RequireStart()
	if err := records.Create(t.Context(), servers.Server{ID: uuid.NewString(), Name: "a"}); err != nil {
		t.Error(err)
	}
	app.RequireStop()
	if _, err := records.Servers(t.Context()); err == nil || errors.Is(err, servers.ErrUnknown) {
		t.Errorf("after the end: %v", err)
	}
}
