package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mcp-aggregator/modules/servers"
)

// refusal is err in the words of the contract.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if ok && pg.Code == "23505" && pg.ConstraintName == "external_servers_name_key" {
		return servers.ErrNameTaken
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	if ok && lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE && strings.Contains(lite.Error(), "external_servers.name") {
		return servers.ErrNameTaken
	}
	return err
}

// atOdds reports a transaction that PostgreSQL gave up for another's sake: a
// deadlock, such as of two records that take each other's names, or a failure to
// put them in an order.
func atOdds(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40P01" || pg.Code == "40001")
}

// sqliteRefusal says what to fix of a file that cannot be used.
func sqliteRefusal(err error) error {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	if lite.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		return errFull // there is no room beside the file
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return errors.New("the file is no SQLite database: name another one")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return errors.New("the file or its folder cannot be written: give this user the right to, or name another one")
	case sqlite3.SQLITE_FULL:
		return errFull
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("its disk cannot be read or written, or is full: %w", err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("the file is damaged: restore a copy of it: %w", err)
	}
	return err
}

// postgresRefusal is why a connection was not made, in one line.
func postgresRefusal(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return errors.New("the server refuses: " + pg.Message)
	}
	return errors.New("it cannot be reached: " + strings.Join(strings.Fields(err.Error()), " "))
}

// again tries do for a second: two programs that begin to use a file at once
// get into each other's way in places where SQLite does not wait.
func again(ctx context.Context, do func() error) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !inTheWay(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(backoff.NewConstantBackOff(50*time.Millisecond)), backoff.WithMaxTries(20))
	return err
}

// inTheWay reports what may come of another program that does the same: it writes,
// or has just made the same table or row.
func inTheWay(err error) bool {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT:
		return true
	}
	return false
}
