package pgvector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"mcp-aggregator/modules/dense"
)

// Options configure a Store.
type Options struct {
	URL         string // postgres://user:password@host:port/database
	Connections int32  // maximum; default 4
}

// Store is a [dense.VectorStore] in PostgreSQL. It is usable between Start and Stop. Its
// methods are safe for concurrent use.
type Store struct {
	options Options
	pool    *pgxpool.Pool

	mu     sync.Mutex
	spaces map[dense.Space]int // ids of spaces known to exist
}

var _ dense.VectorStore = (*Store)(nil)

// New returns a store, which Start opens.
func New(o Options) *Store {
	if o.Connections == 0 {
		o.Connections = 4
	}
	return &Store{options: o, spaces: map[dense.Space]int{}}
}

// Check reports what is wrong with the options.
func (o Options) Check() error {
	_, err := o.config()
	return err
}

func (o Options) config() (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil { // err may contain the password
		return nil, errors.New("vectors: the PostgreSQL URL is invalid: use postgres://user:password@host:port/database, with special characters as %XX")
	}
	return config, nil
}

// Start parses the URL. It does not connect, so that the program can start while the
// database is down.
func (s *Store) Start(context.Context) error {
	config, err := s.options.config()
	if err != nil {
		return err
	}
	config.MaxConns, config.MinConns, config.MinIdleConns = s.options.Connections, 0, 0
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	config.ConnConfig.RuntimeParams["application_name"] = "mcp-aggregator vectors"
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		// The index ignores filters: iterative scans continue until enough rows match.
		_, err := conn.Exec(ctx, "SET hnsw.iterative_scan = 'strict_order'; SET hnsw.ef_search = 200")
		return err
	}
	s.pool, err = pgxpool.NewWithConfig(context.Background(), config) //nolint:contextcheck // the pool outlives Start
	return err
}

// Stop closes the connections. It does not wait for them after ctx ends.
func (s *Store) Stop(ctx context.Context) error {
	closed := make(chan struct{})
	go func() { // outlives Stop only if ctx ends first
		s.pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// withSpace calls do with the id of a space, which it creates if necessary.
func (s *Store) withSpace(ctx context.Context, space dense.Space, do func(id int) error) error {
	id, err := s.prepare(ctx, space)
	if err == nil {
		err = do(id)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && (pg.Code == "42P01" || pg.Code == "23503") {
		s.mu.Lock()
		clear(s.spaces) // the tables or the space are gone: the next use creates them
		s.mu.Unlock()
	}
	return storeError(err)
}

// storeError describes an error of PostgreSQL in one line.
func storeError(err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil:
		return nil
	case ok && (pg.Code == "0A000" || pg.Code == "58P01" || pg.Code == "42501") && strings.Contains(pg.Message, "extension"):
		return fmt.Errorf("vectors: PostgreSQL: %s: install pgvector, and run CREATE EXTENSION vector as an administrator", pg.Message)
	case ok:
		return fmt.Errorf("vectors: PostgreSQL: %s", pg.Message)
	}
	return fmt.Errorf("vectors: PostgreSQL: %w", oneLineError{err})
}

// oneLineError removes line breaks from an error.
type oneLineError struct{ error }

func (e oneLineError) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }
func (e oneLineError) Unwrap() error { return e.error }

// Put implements [dense.VectorStore].
func (s *Store) Put(ctx context.Context, space dense.Space, vectors []dense.Vector) error {
	if len(vectors) == 0 {
		return ctx.Err()
	}
	var batch pgx.Batch
	for _, v := range vectors {
		if len(v.Values) != space.Dimension {
			return fmt.Errorf("vectors: the vector has %d dimensions, not %d", len(v.Values), space.Dimension)
		}
	}
	return s.withSpace(ctx, space, func(id int) error {
		for _, v := range vectors {
			batch.Queue(`INSERT INTO mcp_tool_vectors (space, hash, embedding, source_server_id, source_server_name, original_name,
					is_external, is_classified, skill_ids) VALUES ($1, $2, $3::real[]::vector, $4, $5, $6, true, $7, $8)
				ON CONFLICT (space, hash) DO UPDATE SET embedding = excluded.embedding, source_server_id = excluded.source_server_id,
					source_server_name = excluded.source_server_name, is_classified = excluded.is_classified,
					skill_ids = excluded.skill_ids, used_at = now()`,
				id, v.Hash[:], v.Values, v.ServerID, v.Server, v.Name, v.Classified, skillIDs(v.Payload))
		}
		return s.pool.SendBatch(ctx, &batch).Close()
	})
}

// skillIDs returns the skills of a payload. It is never nil, which would be stored as NULL.
func skillIDs(p dense.Payload) []string { return append([]string{}, p.SkillIDs...) }

// Get implements [dense.VectorStore].
func (s *Store) Get(ctx context.Context, space dense.Space, hashes []dense.Hash) (map[dense.Hash][]float32, error) {
	found := make(map[dense.Hash][]float32, len(hashes))
	err := s.withSpace(ctx, space, func(id int) error {
		rows, err := s.pool.Query(ctx, "SELECT hash, embedding::real[] FROM mcp_tool_vectors WHERE space = $1 AND hash = ANY ($2)", id, hashBytes(hashes))
		if err != nil {
			return err
		}
		var hash []byte
		var values []float32
		_, err = pgx.ForEachRow(rows, []any{&hash, &values}, func() error {
			found[dense.Hash(hash)] = slices.Clone(values)
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func hashBytes(hashes []dense.Hash) [][]byte {
	all := make([][]byte, len(hashes))
	for i := range hashes {
		all[i] = hashes[i][:]
	}
	return all
}

// Refresh implements [dense.VectorStore]. It writes changed payloads, and the time of use
// once a day.
func (s *Store) Refresh(ctx context.Context, space dense.Space, points []dense.Point) (known []dense.Hash, err error) {
	hashes := make([][]byte, len(points))
	var batch pgx.Batch
	err = s.withSpace(ctx, space, func(id int) error {
		for i, p := range points {
			hashes[i] = p.Hash[:]
			batch.Queue(`UPDATE mcp_tool_vectors SET source_server_id = $3, source_server_name = $4, original_name = $5,
					is_classified = $6, skill_ids = $7, used_at = now()
				WHERE space = $1 AND hash = $2 AND (used_at < now() - interval '1 day' OR
					(source_server_id, source_server_name, original_name, is_classified, skill_ids) <> ($3, $4, $5, $6, $7))`,
				id, p.Hash[:], p.ServerID, p.Server, p.Name, p.Classified, skillIDs(p.Payload))
		}
		if err := s.pool.SendBatch(ctx, &batch).Close(); err != nil {
			return err
		}
		rows, err := s.pool.Query(ctx, "SELECT hash FROM mcp_tool_vectors WHERE space = $1 AND hash = ANY ($2)", id, hashes)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		for _, hash := range found {
			known = append(known, dense.Hash(hash))
		}
		return err
	})
	return known, err
}

// Nearest implements [dense.VectorStore].
func (s *Store) Nearest(ctx context.Context, space dense.Space, query []float32, k int, servers []string) ([]dense.Neighbor, error) {
	if len(query) != space.Dimension {
		return nil, fmt.Errorf("vectors: the query has %d dimensions, not %d", len(query), space.Dimension)
	}
	var found []dense.Neighbor
	err := s.withSpace(ctx, space, func(id int) error {
		// The id and type must be literals for the planner to choose the partial index.
		cast := vectorType(space)
		statement := fmt.Sprintf(`SELECT hash, 1 - (embedding::%s <=> $1::real[]::%[1]s) FROM mcp_tool_vectors
			WHERE space = %d AND source_server_name = ANY ($2) ORDER BY embedding::%[1]s <=> $1::real[]::%[1]s LIMIT $3`, cast, id)
		rows, err := s.pool.Query(ctx, statement, query, servers, k)
		if err != nil {
			return err
		}
		var hash []byte
		var cosine float64
		_, err = pgx.ForEachRow(rows, []any{&hash, &cosine}, func() error {
			if cosine > 1e-7 { // excludes rounding errors around 0, and NaN
				found = append(found, dense.Neighbor{Hash: dense.Hash(hash), Cosine: min(cosine, 1)})
			}
			return nil
		})
		return err
	})
	return found, err
}

// DeleteUnused implements [dense.VectorStore].
func (s *Store) DeleteUnused(ctx context.Context, before time.Time) error {
	_, err := s.pool.Exec(ctx, "DELETE FROM mcp_tool_vectors WHERE used_at < $1", before)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "42P01" {
		return nil // the table does not exist yet
	}
	return storeError(err)
}
