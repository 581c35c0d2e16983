package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"

	"mcp-aggregator/modules/servers"
)

// topic is what replicas notify each other of changes of: the name of a channel of
// PostgreSQL.
type topic string

const (
	serverTopic  topic = "mcp_aggregator"
	profileTopic topic = "mcp_aggregator_profiles"
)

// cluster is what a replica shares with others.
type cluster interface {
	// changesOf returns the channel that receives after changes of others; nil if there
	// are no others.
	changesOf(t topic) <-chan struct{}
	Claim(ctx context.Context, id string) (servers.Claim, bool, error)
	close()
}

// joinSingleNode returns the cluster of a database that only one program uses.
func joinSingleNode(context.Context, *slog.Logger) (cluster, error) { return singleNode{}, nil }

// singleNode is the cluster of a database that only one program uses.
type singleNode struct{}

func (singleNode) changesOf(topic) <-chan struct{} { return nil }

func (singleNode) Claim(context.Context, string) (servers.Claim, bool, error) {
	return noopClaim{}, true, nil
}

func (singleNode) close() {}

// noopClaim is a claim that is never contested.
type noopClaim struct{}

func (noopClaim) Lost() <-chan struct{} { return nil }

func (noopClaim) Release() {}

// replicas is the cluster of the replicas that share a PostgreSQL database.
type replicas struct {
	*listener
	*claims
}

// joinReplicas starts listening to the other replicas before it returns.
func joinReplicas(ctx context.Context, config *pgx.ConnConfig, replica string, log *slog.Logger) (cluster, error) {
	l, err := startListener(ctx, withApplicationName(config, "mcp-aggregator listener"), replica, log)
	if err != nil {
		return nil, err
	}
	return replicas{l, startClaims(ctx, withApplicationName(config, "mcp-aggregator claims"), replica, log)}, nil
}

func (r replicas) close() {
	r.listener.close()
	r.claims.close()
}

// A connection that receives nothing for listenInterval is pinged, and the ping must be
// answered within pingTime.
const (
	listenInterval = 2 * time.Second
	pingTime       = 2 * time.Second
)

// listener receives the notifications of other replicas on a connection of its own, which
// it reopens whenever it breaks.
type listener struct {
	config  *pgx.ConnConfig
	replica string // the sender of our own notifications
	log     *slog.Logger
	changes map[topic]chan struct{}
	stop    context.CancelFunc
	done    chan struct{}
}

func startListener(ctx context.Context, config *pgx.ConnConfig, replica string, log *slog.Logger) (*listener, error) {
	l := &listener{config: config, replica: replica, log: log, changes: map[topic]chan struct{}{}, done: make(chan struct{})}
	for _, t := range []topic{serverTopic, profileTopic} {
		l.changes[t] = make(chan struct{}, 1)
	}
	conn, err := l.connect(ctx)
	if err != nil {
		return nil, err
	}
	// It outlives the context of Start.
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	go l.run(run, conn)
	return l, nil
}

func (l *listener) changesOf(t topic) <-chan struct{} { return l.changes[t] }

func (l *listener) close() {
	l.stop()
	<-l.done
}

func (l *listener) run(ctx context.Context, conn *pgx.Conn) {
	defer close(l.done)
	for {
		err := l.listen(ctx, conn)
		closeConn(ctx, conn)
		if ctx.Err() != nil {
			return
		}
		l.log.Warn("the connection to the database is lost: changes of other replicas are read once it is back", "error", describePostgresError(err))
		if conn, err = l.reconnect(ctx); err != nil {
			return
		}
		l.log.Info("the connection to the database is back")
		for t := range l.changes {
			l.signal(t) // changes may have been missed
		}
	}
}

// listen signals the changes of other replicas until the connection breaks.
func (l *listener) listen(ctx context.Context, conn *pgx.Conn) error {
	for {
		wait, cancel := context.WithTimeout(ctx, listenInterval)
		n, err := conn.WaitForNotification(wait)
		quiet := wait.Err() != nil
		cancel()
		switch {
		case err == nil && n != nil && n.Payload != l.replica:
			l.signal(topic(n.Channel))
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && quiet:
			err = ping(ctx, conn, pingTime)
		}
		if err != nil {
			return err
		}
	}
}

func (l *listener) signal(t topic) {
	select {
	case l.changes[t] <- struct{}{}:
	default: // a signal is pending already
	}
}

func (l *listener) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err != nil {
		return nil, err
	}
	for t := range l.changes {
		if _, err := conn.Exec(ctx, "LISTEN "+string(t)); err != nil {
			closeConn(ctx, conn)
			return nil, err
		}
	}
	return conn, nil
}

// reconnect retries until it is connected or ctx ends.
func (l *listener) reconnect(ctx context.Context) (*pgx.Conn, error) {
	pace := backoff.NewExponentialBackOff()
	pace.InitialInterval, pace.MaxInterval = 100*time.Millisecond, 5*time.Second
	return backoff.Retry(ctx, func() (*pgx.Conn, error) { return l.connect(ctx) },
		backoff.WithBackOff(pace), backoff.WithMaxElapsedTime(0))
}

// ping checks the connection.
func ping(ctx context.Context, conn *pgx.Conn, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return conn.Ping(ctx)
}

// closeConn closes the connection, also after ctx has ended, and waits for a bounded time
// until its goroutines are gone: pgx cleans up a broken one in the background.
func closeConn(ctx context.Context, conn *pgx.Conn) {
	const leaveTime = 500 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	conn.Close(ctx) //nolint:errcheck // it may be broken already
	select {
	case <-conn.PgConn().CleanupDone():
	case <-ctx.Done():
	}
}
