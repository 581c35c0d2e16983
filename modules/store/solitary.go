package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
)

// solitary is the cluster of an SQLite file: one process uses it at a time. Two would
// run every stdio server twice.
type solitary struct {
	alone

	lock *sql.DB
	held *sql.Tx
}

// joinFile takes the lock of the database at path: a transaction on an SQLite file
// beside it, which ends with the process whatever ends that.
func joinFile(path string) func(context.Context, *slog.Logger) (cluster, error) {
	return func(context.Context, *slog.Logger) (cluster, error) {
		beside, err := makeFile(path + "-lock")
		if err != nil {
			return nil, err
		}
		lock, err := connectSQLite(beside, "_txlock=exclusive&_busy_timeout=0")
		if err != nil {
			return nil, fmt.Errorf("database %s: %w", beside, err)
		}
		held, err := lock.BeginTx(context.Background(), nil) //nolint:contextcheck // held until close
		if err != nil {
			return nil, errors.Join(fmt.Errorf("database %s: another mcp-aggregator uses it: stop that one, or name another database", path), lock.Close())
		}
		return solitary{lock: lock, held: held}, nil
	}
}

func (s solitary) close() {
	_ = s.held.Rollback() // there is nothing in it
	_ = s.lock.Close()
}
