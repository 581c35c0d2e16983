package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// solitary is the cluster of an SQLite file: one process uses it at a time. Two would
// run every stdio server twice.
type solitary struct {
	alone

	release func()
}

func (s solitary) close() { s.release() }

// holdFile takes the lock of the database at path: a transaction on an SQLite file
// beside it, which ends with the process whatever ends that.
func holdFile(path string) (release func(), err error) {
	beside, err := makeFile(path + "-lock")
	if err != nil {
		return nil, err
	}
	lock, err := connectSQLite(beside, "_txlock=exclusive&_busy_timeout=0")
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", beside, err)
	}
	held, err := lock.BeginTx(context.Background(), nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("database %s: another mcp-aggregator uses it: stop that one, or name another database", path), lock.Close())
	}
	return func() {
		_ = held.Rollback() // there is nothing in it
		_ = lock.Close()
	}, nil
}

func joinFile(path string) func(context.Context, *slog.Logger) (cluster, error) {
	return func(context.Context, *slog.Logger) (cluster, error) {
		release, err := holdFile(path) //nolint:contextcheck // held until close
		if err != nil {
			return nil, err
		}
		return solitary{release: release}, nil
	}
}
