package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// openPostgres connects to the database. No error contains the URL, which may hold the
// password.
func openPostgres(ctx context.Context, url string) (*database, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("database: the PostgreSQL URL cannot be read: write postgres://user:password@host:port/database, special characters as %XX")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	pool := stdlib.OpenDB(*withApplicationName(config, "mcp-aggregator"))
	pool.SetMaxOpenConns(10)
	pool.SetMaxIdleConns(10)
	replica := rand.Text()
	d := &database{
		write: pool, read: pool,
		dialect:   goose.DialectPostgres,
		options:   []goose.ProviderOption{goose.WithSessionLocker(locker)},
		forUpdate: " FOR UPDATE",
		notify:    "SELECT pg_notify($1, $2)",
		replica:   replica,
		joinCluster: func(ctx context.Context, log *slog.Logger) (cluster, error) {
			peers, err := joinReplicas(ctx, config, replica, log)
			if err != nil {
				return nil, connectError(config, err)
			}
			return peers, nil
		},
	}
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(connectError(config, err), d.close())
	}
	return d, nil
}

// connectError returns the error for a connection that failed.
func connectError(config *pgx.ConnConfig, err error) error {
	return fmt.Errorf("database %s at %s:%d: %w", config.Database, config.Host, config.Port, describePostgresError(err))
}

// withApplicationName returns a copy of the configuration whose connections administrators
// see under that name.
func withApplicationName(config *pgx.ConnConfig, name string) *pgx.ConnConfig {
	config = config.Copy()
	config.RuntimeParams["application_name"] = name
	return config
}

// describePostgresError says in one line why a connection failed.
func describePostgresError(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return errors.New("the server refused the connection: " + pg.Message)
	}
	return errors.New("it cannot be reached: " + strings.Join(strings.Fields(err.Error()), " "))
}

// isSerializationFailure reports whether PostgreSQL rolled the transaction back because of
// a concurrent one: a deadlock, such as of two records that swap their names, or a
// serialization failure. Such a transaction can be retried.
func isSerializationFailure(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40P01" || pg.Code == "40001")
}
