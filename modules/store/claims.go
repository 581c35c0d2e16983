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

// Time limits of the claims. The connection that holds them is pinged every pingInterval,
// and each answer may take answerTime, so a lost connection is detected within their sum.
// The replica then kills the process within killTime. A replica that is granted the claim
// next waits for all three.
const (
	pingInterval = 500 * time.Millisecond
	answerTime   = 2 * time.Second
	killTime     = 1500 * time.Millisecond
	fenceTime    = pingInterval + answerTime + killTime
)

// claims holds the advisory locks of this replica, all on one connection. They are
// released when it ends.
type claims struct {
	config  *pgx.ConnConfig
	replica string
	log     *slog.Logger
	stop    context.CancelFunc
	done    chan struct{}

	lock   chan struct{} // a semaphore that guards what follows
	conn   *pgx.Conn     // nil before the first claim and after a loss
	held   map[*claim]bool
	closed bool
}

// claim is the right to run one server.
type claim struct {
	claims *claims
	id     string // of the server
	key    int64  // of its lock
	lost   chan struct{}
	once   sync.Once
}

// errClosed is returned for a claim after the store is closed.
var errClosed = errors.New("database: it is closed")

// errClaimLost is returned if the connection breaks before the claim is granted.
var errClaimLost = errors.New("database: the connection that holds the claims is lost")

// lockKey returns the key of a server's advisory lock.
func lockKey(id string) int64 {
	hash := fnv.New64a()
	hash.Write([]byte("mcp-aggregator " + id))
	return int64(hash.Sum64())
}

func startClaims(ctx context.Context, config *pgx.ConnConfig, replica string, log *slog.Logger) *claims {
	// The server drops the connection of a replica that vanishes from the network.
	maps.Copy(config.RuntimeParams, map[string]string{
		"tcp_keepalives_idle": "2", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3", "tcp_user_timeout": "8000",
	})
	// It outlives the context of Start.
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	c := &claims{
		config: config, replica: replica, log: log, stop: stop, done: make(chan struct{}),
		lock: make(chan struct{}, 1), held: map[*claim]bool{},
	}
	go c.run(ctx)
	return c
}

// run pings the connection until the store is closed, and then closes it.
func (c *claims) run(ctx context.Context) {
	defer close(c.done)
	beat := time.NewTicker(pingInterval)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			_ = c.exclusively(ctx, func() error { c.checkConn(ctx); return nil }) // the error is that of ctx
		case <-ctx.Done():
			c.lock <- struct{}{}
			c.closed = true
			c.dropConn(ctx)
			<-c.lock
			return
		}
	}
}

// exclusively calls do while no other goroutine uses the connection. It returns the error
// of ctx if that ends first.
func (c *claims) exclusively(ctx context.Context, do func() error) error {
	select {
	case c.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.lock }()
	return do()
}

// checkConn drops the connection if it does not answer.
func (c *claims) checkConn(ctx context.Context) {
	if c.conn == nil {
		return
	}
	if err := ping(ctx, c.conn, answerTime); err != nil && ctx.Err() == nil {
		c.log.Warn("the connection that holds the claims is lost", "error", describePostgresError(err), "claims", len(c.held))
		c.dropConn(ctx)
	}
}

// dropConn closes the connection, which releases its claims. Their holders are told first:
// another replica can be granted them as soon as the database notices.
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

// withConn calls do with the connection, which it opens first if there is none. Once a
// query runs, ctx no longer cancels it: pgx would close the connection, and all claims
// would be lost.
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

// Claim implements [servers.Cluster].
func (c *claims) Claim(ctx context.Context, id string) (servers.Claim, bool, error) {
	cl := &claim{claims: c, id: id, key: lockKey(id), lost: make(chan struct{})}
	granted, fenced := false, false
	err := c.exclusively(ctx, func() (err error) {
		granted, fenced, err = c.tryLock(ctx, cl)
		return err
	})
	if err == nil && !granted {
		return nil, false, nil
	}
	if err == nil && fenced {
		err = cl.awaitFence(ctx)
	}
	if err == nil {
		err = c.exclusively(ctx, func() error { return c.recordLease(ctx, cl) })
	}
	if err != nil {
		cl.unlock(false) //nolint:contextcheck // also after the caller's context has ended
		return nil, false, err
	}
	return cl, true, nil
}

// tryLock tries to lock the server, on a new connection if the old one turns out to be
// broken. The server is fenced if another replica held it and did not release it in order.
func (c *claims) tryLock(ctx context.Context, cl *claim) (granted, fenced bool, err error) {
	used := c.conn != nil
	tryLock := func(ctx context.Context, conn *pgx.Conn) error {
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", cl.key).Scan(&granted); err != nil || !granted {
			return err
		}
		c.held[cl] = true
		const foreign = "SELECT EXISTS (SELECT FROM server_leases WHERE server_id = $1 AND owner <> $2)"
		return conn.QueryRow(ctx, foreign, cl.id, c.replica).Scan(&fenced)
	}
	err = c.withConn(ctx, tryLock)
	if err != nil && used && c.conn == nil {
		cl.lost = make(chan struct{}) // nobody waits for it yet
		err = c.withConn(ctx, tryLock)
	}
	return granted, fenced, err
}

// recordLease records that this replica runs the server, so that others wait unless it is
// released in order.
func (c *claims) recordLease(ctx context.Context, cl *claim) error {
	if !c.held[cl] {
		return errClaimLost
	}
	return c.withConn(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `INSERT INTO server_leases (server_id, owner) VALUES ($1, $2)
			ON CONFLICT (server_id) DO UPDATE SET owner = excluded.owner, taken_at = now()`, cl.id, c.replica)
		return err
	})
}

// awaitFence waits until the replica that lost the claim has certainly killed the process.
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

// Lost implements [servers.Claim]. The channel is closed when the connection breaks and
// when the store is closed.
func (c *claim) Lost() <-chan struct{} { return c.lost }

// Release implements [servers.Claim].
func (c *claim) Release() { c.once.Do(func() { c.unlock(true) }) }

// unlock releases the lock. If inOrder is set, the process has ended, and the lease is
// deleted first, so that the next replica does not wait.
func (c *claim) unlock(inOrder bool) {
	ctx := context.Background()
	_ = c.claims.exclusively(ctx, func() error { // the error would be that of ctx
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
			c.claims.log.Warn("a claim cannot be released: the connection that holds the claims is closed", "error", describePostgresError(err))
			c.claims.dropConn(ctx)
		}
		return nil
	})
}

// holds reports whether this replica claims the server.
func (c *claims) holds(id string) bool {
	for held := range c.held {
		if held.id == id {
			return true
		}
	}
	return false
}
