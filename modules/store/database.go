package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// database is an open database of either engine, with what differs between them.
type database struct {
	file        *file   // nil for PostgreSQL
	write, read *sql.DB // one and the same for PostgreSQL
	dialect     goose.Dialect
	options     []goose.ProviderOption
	// forUpdate ends a query for rows that are about to be written.
	forUpdate string
	// notify is the statement that notifies the other replicas of a change of a topic by
	// replica. It is empty if there are none.
	notify, replica string
	// joinCluster starts what the replica shares with others.
	joinCluster func(context.Context, *slog.Logger) (cluster, error)
}

// openDatabase opens the database that url names. A file that is opened exclusively is
// locked against other programs. Several replicas can use one PostgreSQL database at once.
func openDatabase(ctx context.Context, url string, exclusive bool) (*database, error) {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return openPostgres(ctx, url)
	}
	path, err := sqlitePath(url)
	if err != nil {
		return nil, err
	}
	return openSQLite(ctx, path, exclusive)
}

// close closes the pools, and then the file that they use.
func (d *database) close() error {
	var errs []error
	if d.read != nil && d.read != d.write {
		errs = append(errs, d.read.Close())
	}
	if d.write != nil {
		errs = append(errs, d.write.Close())
	}
	if d.file != nil {
		errs = append(errs, d.file.Close())
	}
	return errors.Join(errs...)
}

// checkFile returns an error if the database is no longer the one that was opened.
func (d *database) checkFile() error {
	if d.file == nil {
		return nil
	}
	return d.file.checkReplaced()
}

// isUniqueViolation reports whether err says that a value of the column, which must be
// unique, exists already.
func isUniqueViolation(err error, table, column string) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23505" && pg.ConstraintName == table+"_"+column+"_key"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE && strings.Contains(lite.Error(), table+"."+column)
}
