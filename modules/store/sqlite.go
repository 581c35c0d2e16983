package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
)

// sqlitePath is the path of the file that text names: PATH, sqlite:PATH,
// sqlite://PATH, or a file: URL.
func sqlitePath(text string) (path string, err error) {
	scheme, rest, _ := strings.Cut(text, ":")
	switch {
	case scheme == "sqlite":
		path = strings.TrimPrefix(rest, "//")
	case scheme == "file":
		path, err = filePath(text)
	case strings.HasPrefix(rest, "//"):
		err = fmt.Errorf("database: %q is no kind of database here: name a file, or postgres://user:password@host:port/database", scheme)
	default:
		path = text
	}
	if err == nil && (path == "" || path == ":memory:") {
		err = errors.New("database: name a file, or postgres://user:password@host:port/database")
	}
	return path, err
}

// filePath is the path of a file: URL.
func filePath(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.RawQuery != "" || (u.Host != "" && u.Host != "localhost") {
		return "", errors.New("database: the file URL is none of a local file without parameters: write file:///path/to/file")
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

// openSQLite opens the file at path, for this program alone if it is exclusive. One
// connection writes, so that writers queue in the order they came; others read what was
// committed last.
func openSQLite(ctx context.Context, path string, exclusive bool) (*database, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	d := &database{file: file, dialect: goose.DialectSQLite3, join: joinNobody}
	if exclusive {
		err = file.lock()
	}
	if err == nil {
		err = file.named()
	}
	if err == nil {
		err = d.connectFile(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *database) connectFile(ctx context.Context) (err error) {
	// SQLite gives the files beside it the mode of the file. The journal is the
	// file's property once the writer has set it.
	if d.write, err = connectSQLite(d.file.path, busyTimeout+"_txlock=immediate&_journal_mode=WAL&_synchronous=FULL"); err != nil {
		return fmt.Errorf("database %s: %w", d.file.path, err)
	}
	d.write.SetMaxOpenConns(1)
	if d.read, err = connectSQLite(d.file.path, busyTimeout+"_query_only=on"); err != nil {
		return fmt.Errorf("database %s: %w", d.file.path, err)
	}
	if err := d.ready(ctx); err != nil {
		return fmt.Errorf("database %s: %w", d.file.path, sqliteRefusal(err))
	}
	return nil
}

// busyTimeout is what connections to the records share.
const busyTimeout = "_busy_timeout=10000&_foreign_keys=on&"

// connectSQLite is a pool of connections to the file. The address escapes the
// path, which may hold the characters of one.
func connectSQLite(path, parameters string) (*sql.DB, error) {
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

// ready makes the first connection, and asks what only a database can answer.
func (d *database) ready(ctx context.Context) error {
	return again(ctx, func() error {
		_, err := d.write.ExecContext(ctx, "SELECT count(*) FROM sqlite_schema")
		return err
	})
}
