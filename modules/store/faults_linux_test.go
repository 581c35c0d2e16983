package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mcp-aggregator/modules/store"
)

func TestAClaimIsLostWhenTheDatabaseHangs(t *testing.T) {
	url := postgres.Database(t)
	s := open(t, url)
	claim := mustClaim(t, s, uuid.NewString())
	backend := backendOf(t, url, "mcp-aggregator claims")
	begun := time.Now()
	if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(backend, syscall.SIGCONT) //nolint:errcheck // it may be gone
	awaitSignal(t, claim.Lost(), "a loss")
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("it was noticed after %v", took)
	}
	mustClaim(t, s, uuid.NewString())
}

func backendOf(t *testing.T, url, name string) (pid int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the answer is there
	const query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1"
	if err := conn.QueryRow(t.Context(), query, name).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestAFullDiskIsReported(t *testing.T) {
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
		_ = os.WriteFile(filepath.Join(folder, "stuff"), make([]byte, 1<<20), 0o600) // as much as fits
		_, err := store.Open(t.Context(), path, quiet())
		if err == nil || !strings.Contains(err.Error(), "disk is full") || strings.Contains(err.Error(), "another") {
			t.Errorf("%s: %v", when, err)
		}
		t.Log(err)
	}
}
