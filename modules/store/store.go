package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"

	"mcp-aggregator/modules/servers"
)

// Store is a database in use. Its methods may be called from several goroutines.
type Store struct {
	database *database
	cluster  cluster
}

var (
	_ servers.Store   = (*Store)(nil)
	_ servers.Cluster = (*Store)(nil)
)

// Open opens the database that url names, and migrates it to what this program
// needs. It is a file, as PATH, sqlite:PATH or a file: URL, which is made with its
// folders if it does not exist; or postgres://user:password@host:port/database with
// the parameters of libpq. The error is one line, without the URL's password.
func Open(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	return open(ctx, url, log, (*database).up)
}

// OpenMigrated is Open for a database that somebody else migrates: one whose
// version is not this program's is refused.
func OpenMigrated(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	return open(ctx, url, log, (*database).current)
}

func open(ctx context.Context, url string, log *slog.Logger, prepare func(*database, context.Context) error) (*Store, error) {
	d, err := openDatabase(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := prepare(d, ctx); err != nil {
		return nil, errors.Join(err, d.close())
	}
	peers, err := d.join(ctx, log)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return &Store{database: d, cluster: peers}, nil
}

// Close ends what the store runs and gives up its claims. Nothing may be called
// after it.
func (s *Store) Close() error {
	s.cluster.close()
	return s.database.close()
}

// Changes is that of [servers.Cluster].
func (s *Store) Changes() <-chan struct{} { return s.cluster.Changes() }

// Claim is that of [servers.Cluster]. It may be called again for a server that
// this replica has claimed already; the right is then given up by as many releases.
func (s *Store) Claim(ctx context.Context, id string) (servers.Claim, bool, error) {
	return s.cluster.Claim(ctx, id)
}

// within runs do in a transaction; an error of do undoes it. If the database
// finds it at odds with another transaction, do runs once more.
func (s *Store) within(ctx context.Context, do func(*sql.Tx) error) error {
	const attempts = 5
	var err error
	for range attempts {
		if err = s.attempt(ctx, do); !atOdds(err) {
			break
		}
	}
	return refusal(err)
}

func (s *Store) attempt(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.database.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit there is nothing to undo
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// tell notifies the other replicas when the transaction ends well.
func (s *Store) tell(ctx context.Context, tx *sql.Tx) error {
	if s.database.notify == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, s.database.notify, s.database.replica)
	return err
}
