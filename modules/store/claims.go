package store

import (
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"mcp-aggregator/modules/servers"
)

// Bounds of the claims. The connection that holds them is asked for a sign of life every
// pingInterval, and each answer on it may take answerTime, so that a loss is known within both.
// Whoever runs a server for a claim that is lost kills it within killTime, and whoever has
// the claim next waits for as long as all of that takes.
const (
	pingInterval = 500 * time.Millisecond
	answerTime   = 2 * time.Second
	killTime     = 1500 * time.Millisecond
	fenceTime    = pingInterval + answerTime + killTime
)

// claims holds the advisory locks of this replica, all on one connection: they
// end with it.
type claims struct {
	config  *pgx.ConnConfig
	replica string
	log     *slog.Logger
	stop    context.CancelFunc
	done    chan struct{}

	lock   chan struct{} // whoever has put something in may use what follows
	conn   *pgx.Conn     // nil: none is needed yet, or the last one broke
	held   map[*claim]bool
	closed bool
}

// claim is one right to run a server.
type claim struct {
	claims *claims
	id     string // of the server
	key    int64  // of its lock
	lost   chan struct{}
	once   sync.Once
}

// errClosed is the answer to whoever claims after the end.
var errClosed = errors.New("database: it is closed")

// errClaimLost is the answer to whose claim is lost before it is granted.
var errClaimLost = errors.New("database: the connection that holds the claims is lost")

// lockKey is the number of the lock of a server.
func lockKey(id string) int64 {
	hash := fnv.New64a()
	hash.Write([]byte("mcp-aggregator " + id))
	return int64(hash.Sum64())
}

func startClaims(ctx context.Context, config *pgx.ConnConfig, replica string, log *slog.Logger) *claims {
	// A replica that vanishes from the network gives its claims up soon.
	maps.Copy(config.RuntimeParams, map[string]string{
		"tcp_keepalives_idle": "2", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3", "tcp_user_timeout": "8000",
	})
	// It outlives whoever opens the store.
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	c := &claims{
		config: config, replica: replica, log: log, stop: stop, done: make(chan struct{}),
		lock: make(chan struct{}, 1), held: map[*claim]bool{},
	}
	go c.run(ctx)
	return c
}

// run watches the connection until the store is closed, and ends it.
func (c *claims) run(ctx context.Context) {
	defer close(c.done)
	beat := time.NewTicker(pingInterval)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			_ = c.exclusively(ctx, func() error { c.checkConn(ctx); return nil }) // unless ctx ends
		case <-ctx.Done():
			c.lock <- struct{}{}
			c.closed = true
			c.dropConn(ctx)
			<-c.lock
			return
		}
	}
}

// singleNode runs do while nobody else uses the connection, unless the context ends before.
func (c *claims) exclusively(ctx context.Context, do func() error) error {
	select {
	case c.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.lock }()
	return do()
}

func (c *claims) checkConn(ctx context.Context) {
	if c.conn == nil {
		return
	}
	if err := ping(ctx, c.conn, answerTime); err != nil && ctx.Err() == nil {
		c.log.Warn("the connection that holds the claims is lost", "error", describePostgresError(err), "claims", len(c.held))
		c.dropConn(ctx)
	}
}

// dropConn closes the connection; what it held is lost. Whoever runs a server hears of
// it first: another replica may have it as soon as the database knows.
func (c *claims) dropConn(ctx context.Context) {
	for held := range c.held {
		close(held.lost)
	}
	clear(c.held)
	if c.conn != nil {
		closeConn(ctx, c.conn)
	}
	c.conn = nil
}

func (c *claims) close() {
	c.stop()
	<-c.done
}

// withConn does something with the connection, which it makes if there is none. The caller's
// context ends that only: the end of a query would be the end of the connection, and
// with it of all claims.
func (c *claims) withConn(ctx context.Context, do func(context.Context, *pgx.Conn) error) (err error) {
	if c.closed {
		return errClosed
	}
	if c.conn == nil {
		connecting, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		if c.conn, err = pgx.ConnectConfig(connecting, c.config); err != nil {
			c.conn = nil
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	if err = do(ctx, c.conn); err != nil && c.conn.IsClosed() {
		c.dropConn(ctx)
	}
	return err
}

// Claim is that of [servers.Cluster].
func (c *claims) Claim(ctx context.Context, id string) (servers.Claim, bool, error) {
	right := &claim{claims: c, id: id, key: lockKey(id), lost: make(chan struct{})}
	granted, fenced := false, false
	err := c.exclusively(ctx, func() (err error) {
		granted, fenced, err = c.tryLock(ctx, right)
		return err
	})
	if err == nil && !granted {
		return nil, false, nil
	}
	if err == nil && fenced {
		err = right.awaitFence(ctx)
	}
	if err == nil {
		err = c.exclusively(ctx, func() error { return c.recordLease(ctx, right) })
	}
	if err != nil {
		right.unlock(false) //nolint:contextcheck // also when the caller's has ended
		return nil, false, err
	}
	return right, true, nil
}

// tryLock asks for the lock; if the connection proves to be broken, on a new one. The server
// is fenced if another replica had it and did not give it up in order.
func (c *claims) tryLock(ctx context.Context, right *claim) (granted, fenced bool, err error) {
	used := c.conn != nil
	take := func(ctx context.Context, conn *pgx.Conn) error {
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", right.key).Scan(&granted); err != nil || !granted {
			return err
		}
		c.held[right] = true
		const foreign = "SELECT EXISTS (SELECT FROM server_leases WHERE server_id = $1 AND owner <> $2)"
		return conn.QueryRow(ctx, foreign, right.id, c.replica).Scan(&fenced)
	}
	err = c.withConn(ctx, take)
	if err != nil && used && c.conn == nil {
		right.lost = make(chan struct{}) // nobody knows of it yet
		err = c.withConn(ctx, take)
	}
	return granted, fenced, err
}

// recordLease writes down that this replica runs the server, so that others wait unless it is
// given up in order.
func (c *claims) recordLease(ctx context.Context, right *claim) error {
	if !c.held[right] {
		return errClaimLost
	}
	return c.withConn(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `INSERT INTO server_leases (server_id, owner) VALUES ($1, $2)
			ON CONFLICT (server_id) DO UPDATE SET owner = excluded.owner, taken_at = now()`, right.id, c.replica)
		return err
	})
}

// awaitFence waits until whoever lost the claim has certainly killed the server.
func (c *claim) awaitFence(ctx context.Context) error {
	timer := time.NewTimer(fenceTime)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.lost:
		return errClaimLost
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Lost is that of [servers.Claim]: it is closed when the connection has broken,
// and when the store is closed.
func (c *claim) Lost() <-chan struct{} { return c.lost }

// Release is that of [servers.Claim].
func (c *claim) Release() { c.once.Do(func() { c.unlock(true) }) }

// unlock unlocks. In order means that the server does not run here any more, which the
// next one is told first.
func (c *claim) unlock(inOrder bool) {
	ctx := context.Background()
	_ = c.claims.exclusively(ctx, func() error { // whose context does not end
		if !c.claims.held[c] {
			return nil // lost
		}
		delete(c.claims.held, c)
		err := c.claims.withConn(ctx, func(ctx context.Context, conn *pgx.Conn) error {
			if inOrder && !c.claims.holds(c.id) {
				if _, err := conn.Exec(ctx, "DELETE FROM server_leases WHERE server_id = $1 AND owner = $2", c.id, c.claims.replica); err != nil {
					return err
				}
			}
			_, err := conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", c.key)
			return err
		})
		if err != nil {
			c.claims.log.Warn("a claim is given up with the connection", "error", describePostgresError(err))
			c.claims.dropConn(ctx)
		}
		return nil
	})
}

// holds reports whether there is a claim on the server.
func (c *claims) holds(id string) bool {
	for held := range c.held {
		if held.id == id {
			return true
		}
	}
	return false
}
