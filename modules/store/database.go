package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"

	"github.com/pressly/goose/v3"
)

// database is an open database of either kind, and what is particular to it.
type database struct {
	write, read *sql.DB // one and the same for PostgreSQL
	dialect     goose.Dialect
	options     []goose.ProviderOption
	// forUpdate ends a query of rows that are about to be written.
	forUpdate string
	// notify tells the other replicas about replica; empty if there are none.
	notify, replica string
	// hold keeps others from using the database until it is released.
	hold func() (release func(), err error)
	// join begins what the replica shares with others.
	join func(context.Context, *slog.Logger) (cluster, error)
}

func openDatabase(ctx context.Context, url string) (*database, error) {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return openPostgres(ctx, url)
	}
	path, err := sqlitePath(url)
	if err != nil {
		return nil, err
	}
	return openSQLite(ctx, path)
}

func (d *database) close() error {
	if d.read == d.write {
		return d.write.Close()
	}
	return errors.Join(d.read.Close(), d.write.Close())
}
