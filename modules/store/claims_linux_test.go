package store_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

func TestARightIsLostWhenTheDatabaseHangs(t *testing.T) {
	url := postgres.Database(t)
	s := open(t, url)
	right := claim(t, s, uuid.NewString())
	backend := backendOf(t, url, "mcp-aggregator claims")
	begun := time.Now()
	if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(backend, syscall.SIGCONT) //nolint:errcheck // it may be gone
	soon(t, right.Lost(), "a loss")
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("it was noticed after %v", took)
	}
	claim(t, s, uuid.NewString())
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
