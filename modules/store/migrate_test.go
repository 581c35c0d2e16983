package store_test

import (
	"database/sql"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"mcp-aggregator/modules/store"
)

// database is an open database of either engine, with what differs between them.
func database(tb testing.TB, url string) *sql.DB {
	tb.Helper()
	driver := "sqlite"
	if strings.HasPrefix(url, "postgres:") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() }) //nolint:errcheck // the test is over
	return db
}

func executeSQL(t *testing.T, url, statement string) {
	t.Helper()
	if _, err := database(t, url).ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func countMigrations(t *testing.T, url string) (all int, done int) {
	t.Helper()
	list, err := store.Migrations(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	for i, m := range list {
		if m.Version <= last || m.Name == "" {
			t.Errorf("migration %d is %v", i, m)
		}
		last = m.Version
		if !m.AppliedAt.IsZero() {
			done++
		}
	}
	return len(list), done
}

func TestMigrationsGoUpAndDown(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			for range 2 {
				all, done := countMigrations(t, url)
				if all == 0 || done != 0 {
					t.Fatalf("%d of %d are applied", done, all)
				}
				for range 2 { // the second has no effect
					if err := store.MigrateUp(t.Context(), url); err != nil {
						t.Fatal(err)
					}
				}
				if _, done := countMigrations(t, url); done != all {
					t.Fatalf("%d of %d are applied", done, all)
				}
				for range all {
					if err := store.MigrateDown(t.Context(), url); err != nil {
						t.Fatal(err)
					}
				}
				if err := store.MigrateDown(t.Context(), url); err == nil || !strings.Contains(err.Error(), "no migration is left") {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

func TestMigrationsBelowTheLastAreKept(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			first, err := store.Open(t.Context(), url, quiet())
			if err != nil {
				t.Fatal(err)
			}
			id := register(t, first)
			if err := first.Close(); err != nil {
				t.Error(err)
			}
			if all, err := open(t, url).Servers(t.Context()); err != nil || len(all) != 1 || all[0].ID != id {
				t.Errorf("after the second start: %v, %v", all, err)
			}
		})
	}
}

func TestReplicasMayStartAtOnce(t *testing.T) {
	url := postgres.Database(t)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			s, err := store.Open(t.Context(), url, quiet())
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestADatabaseOfAnotherVersionIsRefused(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			if _, err := store.OpenMigrated(t.Context(), url, quiet()); err == nil || !strings.Contains(err.Error(), "older than this program: migrate it") {
				t.Errorf("an empty one: %v", err)
			}
			if err := store.MigrateUp(t.Context(), url); err != nil {
				t.Fatal(err)
			}
			s, err := store.OpenMigrated(t.Context(), url, quiet())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			executeSQL(t, url, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, TRUE)")
			_, open := store.Open(t.Context(), url, quiet())
			_, migrated := store.OpenMigrated(t.Context(), url, quiet())
			_, list := store.Migrations(t.Context(), url)
			for what, err := range map[string]error{
				"open": open, "open migrated": migrated, "list": list,
				"up": store.MigrateUp(t.Context(), url), "down": store.MigrateDown(t.Context(), url),
			} {
				if err == nil || !strings.Contains(err.Error(), "version 999, is newer than this program") {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

func TestTheSchemaHasTheDocumentedTables(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			if err := store.MigrateUp(t.Context(), url); err != nil {
				t.Fatal(err)
			}
			db := database(t, url)
			for _, query := range []string{
				`SELECT id, name, description, transport_type, connection_config, health_check_url, status, last_health_check,
					tool_count, error_message, registered_at, connected_at, updated_at, auto_connect, wanted FROM external_servers`,
				`SELECT source_server_id, original_name, namespaced_name, description, input_schema, raw_definition, is_external,
					is_classified, position FROM tools`,
				`SELECT stem, server, tool, principal, weight, at FROM search_votes`,
				`SELECT id, server_id, event, details, at FROM server_connection_history`,
				`SELECT name, description, servers, allow, deny, pin, mode, created_at, updated_at FROM profiles`,
			} {
				if _, err := db.ExecContext(t.Context(), query); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
