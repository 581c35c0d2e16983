package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
)

// Store is a database of servers, tools, events, profiles and vectors. It can be used from Start to Stop, by
// several goroutines.
type Store struct {
	url     string
	prepare func(*database, context.Context) error
	codec   codec
	log     *slog.Logger
	abort   chan struct{} // closed to cancel Start
	once    sync.Once

	database *database
	cluster  cluster
}

var (
	_ servers.Store        = (*Store)(nil)
	_ servers.Cluster      = (*Store)(nil)
	_ profiles.Store       = (*Store)(nil)
	_ search.LearningStore = (*Store)(nil)
)

// New returns the store that url names: a file, as PATH, sqlite:PATH or a file: URL, or
// postgres://user:password@host:port/database with the parameters of libpq. Start opens
// it, and creates the file and its folders if they do not exist.
func New(url URL, migrated Migrated, log *slog.Logger) *Store {
	s := &Store{url: string(url), prepare: (*database).migrateUp, codec: plainCodec(), log: log, abort: make(chan struct{})}
	if migrated {
		s.prepare = (*database).checkMigrated
	}
	return s
}

// Time limits of operations on a database that may not answer.
const (
	openTime  = time.Minute      // migration included
	useTime   = 10 * time.Second // of one method
	listTime  = 30 * time.Second // of one that reads or writes all tools, which may be 10,000
	closeTime = 5 * time.Second
)

// Start opens the database and migrates it, or returns an error if it cannot be used. The
// error is one line and does not contain the URL's password.
func (s *Store) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	go func() { // ends with Start
		select {
		case <-s.abort:
			cancel()
		case <-ctx.Done():
		}
	}()
	d, err := openDatabase(ctx, s.url, true)
	if err != nil {
		return err
	}
	if err := s.prepare(d, ctx); err != nil {
		return errors.Join(err, d.close())
	}
	peers, err := d.joinCluster(ctx, s.log)
	if err != nil {
		return errors.Join(err, d.close())
	}
	s.database, s.cluster = d, peers
	return nil
}

// Abort cancels a Start that still waits for the database.
func (s *Store) Abort() { s.once.Do(func() { close(s.abort) }) }

// Stop releases the claims and closes the database. No method may be called after it.
// Connections to a database that does not answer are left open.
func (s *Store) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	closed := make(chan error, 1)
	go func() { // outlives Stop only if that runs out of time
		s.cluster.close()
		closed <- s.database.close()
	}()
	select {
	case err := <-closed:
		return err
	case <-ctx.Done():
		return fmt.Errorf("database: it is not closed: %w", ctx.Err())
	}
}

// Open returns a started store: see [New].
func Open(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	s := New(URL(url), false, log)
	return s, s.Start(ctx)
}

// OpenMigrated is Open for a database that is migrated by somebody else: it refuses one
// whose version is not the one that it needs.
func OpenMigrated(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	s := New(URL(url), true, log)
	return s, s.Start(ctx)
}

// Close stops the store without a deadline of the caller's.
func (s *Store) Close() error { return s.Stop(context.Background()) }

// startQuery returns a context with the time limit of one operation. It returns an error
// if the database file was removed or replaced.
func (s *Store) startQuery(ctx context.Context, limit time.Duration) (bounded context.Context, end context.CancelFunc, err error) {
	if err := s.database.checkFile(); err != nil {
		return nil, nil, err
	}
	bounded, end = context.WithTimeout(ctx, limit)
	return bounded, end, nil
}

// Changes implements [servers.Cluster].
func (s *Store) Changes() <-chan struct{} { return s.cluster.changesOf(serverTopic) }

// Claim implements [servers.Cluster]. A server that this replica has claimed already can
// be claimed again; it is released by as many releases.
func (s *Store) Claim(ctx context.Context, id string) (servers.Claim, bool, error) {
	return s.cluster.Claim(ctx, id)
}

// inTransaction calls do in a transaction, which an error of do rolls back. It retries the
// transaction if the database rolls it back because of a concurrent one.
func (s *Store) inTransaction(ctx context.Context, limit time.Duration, do func(*sql.Tx) error) error {
	ctx, end, err := s.startQuery(ctx, limit)
	if err != nil {
		return err
	}
	defer end()
	const attempts = 5
	for range attempts {
		if err = s.tryTransaction(ctx, do); !isSerializationFailure(err) {
			break
		}
	}
	return err
}

func (s *Store) tryTransaction(ctx context.Context, do func(*sql.Tx) error) error {
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

// notifyReplicas notifies the other replicas of a change when the transaction commits.
func (s *Store) notifyReplicas(ctx context.Context, tx *sql.Tx, t topic) error {
	if s.database.notify == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, s.database.notify, string(t), s.database.replica)
	return err
}
