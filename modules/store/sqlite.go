package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqlitePath returns the path that text names as PATH, sqlite:PATH, sqlite://PATH or a
// file: URL.
func sqlitePath(text string) (path string, err error) {
	scheme, rest, _ := strings.Cut(text, ":")
	switch {
	case scheme == "sqlite":
		path = strings.TrimPrefix(rest, "//")
	case scheme == "file":
		path, err = filePath(text)
	case strings.HasPrefix(rest, "//"):
		err = fmt.Errorf("database: %q is not a supported database: name a file, or postgres://user:password@host:port/database", scheme)
	default:
		path = text
	}
	if err == nil && (path == "" || path == ":memory:") {
		err = errors.New("database: name a file, or postgres://user:password@host:port/database")
	}
	return path, err
}

// filePath returns the path of a file: URL.
func filePath(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.RawQuery != "" || (u.Host != "" && u.Host != "localhost") {
		return "", errors.New("database: the file URL is not that of a local file without parameters: write file:///path/to/file")
	}
	if u.Opaque == "" {
		return u.Path, nil
	}
	path, err := url.PathUnescape(u.Opaque)
	if err != nil {
		return "", fmt.Errorf("database: the file URL: %w", err)
	}
	return path, nil
}

// openSQLite opens the file at path, and locks it against other programs if exclusive is
// set. One connection writes, so that writers queue in order; the others read the last
// commit.
func openSQLite(ctx context.Context, path string, exclusive bool) (*database, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	d := &database{file: file, dialect: goose.DialectSQLite3, joinCluster: joinSingleNode}
	if exclusive {
		err = file.lock()
	}
	if err == nil {
		err = file.checkLinks()
	}
	if err == nil {
		err = d.connectSQLite(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *database) connectSQLite(ctx context.Context) (err error) {
	// SQLite gives the files beside it the mode of the file. The journal is the
	// file's property once the writer has set it.
	if d.write, err = openSQLitePool(d.file.path, busyTimeout+"_txlock=immediate&_journal_mode=WAL&_synchronous=FULL"); err != nil {
		return fmt.Errorf("database %s: %w", d.file.path, err)
	}
	d.write.SetMaxOpenConns(1)
	if d.read, err = openSQLitePool(d.file.path, busyTimeout+"_query_only=on"); err != nil {
		return fmt.Errorf("database %s: %w", d.file.path, err)
	}
	if err := d.checkSQLite(ctx); err != nil {
		return fmt.Errorf("database %s: %w", d.file.path, describeSQLiteError(err))
	}
	return nil
}

// busyTimeout has the parameters that all connections share.
const busyTimeout = "_busy_timeout=10000&_foreign_keys=on&"

// openSQLitePool returns a pool of connections to the file. The address escapes the path,
// which may contain the special characters of a URL.
func openSQLitePool(path, parameters string) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/folder
	}
	address := url.URL{Scheme: "file", Path: slashed, RawQuery: parameters}
	connector, err := sqlite.NewConnector(address.String())
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// checkSQLite opens the first connection and runs a query, which fails if the file is not
// a database.
func (d *database) checkSQLite(ctx context.Context) error {
	return retryBusy(ctx, func() error {
		_, err := d.write.ExecContext(ctx, "SELECT count(*) FROM sqlite_schema")
		return err
	})
}

// lockedByte is the byte that is locked. It is far beyond those that SQLite locks.
const lockedByte = 1 << 40

// errInUse is returned for a file that another program has locked.
var errInUse = errors.New("another mcp-aggregator uses it: stop that one, or name another database")

// errFull is returned for a full disk.
var errFull = errors.New("the disk is full: make room")

// file is the file of an SQLite database. It stays open for as long as SQLite uses it,
// because closing any descriptor of a file releases the locks that the process holds on
// it.
type file struct {
	*os.File

	path string // absolute
}

// openFile opens the file. It creates the file and its folders, accessible to their owner
// only, if they do not exist.
func openFile(path string) (*file, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("database %s: its folder cannot be created: %w", path, describeFileError(err))
	}
	opened, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("database %s: it cannot be written: %w", path, describeFileError(err))
	}
	return &file{opened, path}, nil
}

// lock locks the file against other programs: two services would run every stdio server
// twice.
func (f *file) lock() error {
	switch err := lockFile(f.File); {
	case errors.Is(err, errInUse):
		return fmt.Errorf("database %s: %w", f.path, err)
	case err != nil:
		return fmt.Errorf("database %s: it cannot be locked: %w", f.path, describeFileError(err))
	}
	return nil
}

// checkLinks returns an error if the file has several names. SQLite keeps changes that are
// not in the file yet in another one beside the name that was opened. After a crash, a
// program that opens another name would lose them.
func (f *file) checkLinks() error {
	if names, err := linkCount(f.File); err == nil && names > 1 {
		return fmt.Errorf("database %s: the file has %d names (hard links), and SQLite keeps changes beside the one "+
			"that it is opened by: remove the others", f.path, names)
	}
	return nil
}

// checkReplaced returns an error if the path no longer names the open file: what is
// written then is lost.
func (f *file) checkReplaced() error {
	opened, err := f.Stat()
	if err != nil {
		return fmt.Errorf("database %s: %w", f.path, describeFileError(err))
	}
	named, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("database %s: the file was removed: restart the service", f.path)
	case err != nil:
		return fmt.Errorf("database %s: %w", f.path, describeFileError(err))
	case !os.SameFile(opened, named):
		return fmt.Errorf("database %s: the file was replaced by another one: restart the service", f.path)
	}
	return nil
}

// describeFileError says how to fix the error of a file whose path the caller adds.
func describeFileError(err error) error {
	switch path, ok := errors.AsType[*fs.PathError](err); {
	case isFull(err):
		return errFull
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied: give this user permission, or name another database")
	case ok:
		return path.Err
	}
	return err
}

// describeSQLiteError says how to fix a file that SQLite cannot use.
func describeSQLiteError(err error) error {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	if lite.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		return errFull // no room for the shared memory file
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return errors.New("the file is not an SQLite database: name another one")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return errors.New("the file or its folder cannot be written: give this user permission, or name another one")
	case sqlite3.SQLITE_FULL:
		return errFull
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("its disk cannot be read or written, or is full: %w", err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("the file is damaged: restore a copy of it: %w", err)
	}
	return err
}

// retryBusy calls do until it succeeds or fails for another reason than contention, for a
// second at most. Two programs that start to use a file at once collide in places where
// SQLite does not wait.
func retryBusy(ctx context.Context, do func() error) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !isBusy(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(backoff.NewConstantBackOff(50*time.Millisecond)), backoff.WithMaxTries(20))
	return err
}

// isBusy reports whether err can be caused by another program that starts at the same
// moment: it writes, or has just created the same table or row.
func isBusy(err error) bool {
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
