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

// The connection of the claims is asked for a sign of life every pulse, and given
// as long for it, so that a loss is known within two.
const pulse = time.Second

// answerTime is how long a lock or an unlock may take.
const answerTime = 3 * time.Second

// claims holds the advisory locks of this replica, all on one connection: they
// end with it.
type claims struct {
	config *pgx.ConnConfig
	log    *slog.Logger
	stop   context.CancelFunc
	done   chan struct{}

	turn   chan struct{} // whoever has put something in may use what follows
	conn   *pgx.Conn     // nil: none is needed yet, or the last one broke
	held   map[*claim]bool
	closed bool
}

// claim is one right to run a server.
type claim struct {
	of   *claims
	key  int64
	lost chan struct{}
	once sync.Once
}

// errClosed is the answer to whoever claims after the end.
var errClosed = errors.New("database: it is closed")

// key is the number of the lock of a server.
func key(id string) int64 {
	hash := fnv.New64a()
	hash.Write([]byte("mcp-aggregator " + id))
	return int64(hash.Sum64())
}

func startClaims(ctx context.Context, config *pgx.ConnConfig, log *slog.Logger) *claims {
	// A replica that vanishes from the network gives its claims up soon.
	maps.Copy(config.RuntimeParams, map[string]string{
		"tcp_keepalives_idle": "2", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3", "tcp_user_timeout": "8000",
	})
	// It outlives whoever opens the store.
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	c := &claims{config: config, log: log, stop: stop, done: make(chan struct{}), turn: make(chan struct{}, 1), held: map[*claim]bool{}}
	go c.run(ctx)
	return c
}

// run watches the connection until the store is closed, and ends it.
func (c *claims) run(ctx context.Context) {
	defer close(c.done)
	beat := time.NewTicker(pulse)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			c.alone(ctx, func() { c.watch(ctx) })
		case <-ctx.Done():
			c.turn <- struct{}{}
			c.closed = true
			c.drop(ctx)
			<-c.turn
			return
		}
	}
}

// alone runs do while nobody else uses the connection. It reports whether it
// could before the context ended.
func (c *claims) alone(ctx context.Context, do func()) bool {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	defer func() { <-c.turn }()
	do()
	return true
}

func (c *claims) watch(ctx context.Context) {
	if c.conn == nil {
		return
	}
	if err := ping(ctx, c.conn, pulse); err != nil && ctx.Err() == nil {
		c.log.Warn("the connection that holds the claims is lost", "error", postgresRefusal(err), "claims", len(c.held))
		c.drop(ctx)
	}
}

// drop closes the connection; what it held is lost. Whoever runs a server hears of
// it first: another replica may have it as soon as the database knows.
func (c *claims) drop(ctx context.Context) {
	for held := range c.held {
		close(held.lost)
	}
	clear(c.held)
	if c.conn != nil {
		leave(ctx, c.conn)
	}
	c.conn = nil
}

func (c *claims) close() {
	c.stop()
	<-c.done
}

// Claim is that of [servers.Cluster].
func (c *claims) Claim(ctx context.Context, id string) (right servers.Claim, granted bool, err error) {
	if !c.alone(ctx, func() { right, granted, err = c.take(ctx, key(id)) }) {
		return nil, false, ctx.Err()
	}
	return right, granted, err
}

// take asks for the lock; if the connection proves to be broken, on a new one.
func (c *claims) take(ctx context.Context, key int64) (servers.Claim, bool, error) {
	used := c.conn != nil
	granted, err := c.ask(ctx, "SELECT pg_try_advisory_lock($1)", key)
	if err != nil && used && c.conn == nil {
		granted, err = c.ask(ctx, "SELECT pg_try_advisory_lock($1)", key)
	}
	if err != nil || !granted {
		return nil, false, err
	}
	right := &claim{of: c, key: key, lost: make(chan struct{})}
	c.held[right] = true
	return right, true, nil
}

// ask runs a query on the connection, which it makes if there is none. The caller's
// context does not end it: that would end the connection, and with it all claims.
func (c *claims) ask(ctx context.Context, query string, key int64) (answer bool, err error) {
	if c.closed {
		return false, errClosed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	if c.conn == nil {
		if c.conn, err = pgx.ConnectConfig(ctx, c.config); err != nil {
			c.conn = nil
			return false, err
		}
	}
	if err = c.conn.QueryRow(ctx, query, key).Scan(&answer); err != nil && c.conn.IsClosed() {
		c.drop(ctx)
	}
	return answer, err
}

// Lost is that of [servers.Claim]: it is closed when the connection has broken,
// and when the store is closed.
func (c *claim) Lost() <-chan struct{} { return c.lost }

// Release is that of [servers.Claim].
func (c *claim) Release() {
	c.once.Do(func() {
		c.of.turn <- struct{}{}
		defer func() { <-c.of.turn }()
		if !c.of.held[c] {
			return // lost
		}
		delete(c.of.held, c)
		if _, err := c.of.ask(context.Background(), "SELECT pg_advisory_unlock($1)", c.key); err != nil {
			c.of.log.Warn("a claim is given up with the connection", "error", postgresRefusal(err))
			c.of.drop(context.Background())
		}
	})
}
