package pgvector

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"mcp-aggregator/modules/dense"
)

// lockID is the advisory lock for creating tables.
const lockID = 0x6d63705f766563 // mcp_vec

const schema = `
	CREATE EXTENSION IF NOT EXISTS vector;
	CREATE TABLE IF NOT EXISTS mcp_vector_spaces (
		id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		model     text NOT NULL,
		dimension integer NOT NULL,
		UNIQUE (model, dimension)
	);
	CREATE TABLE IF NOT EXISTS mcp_tool_vectors (
		space              integer NOT NULL REFERENCES mcp_vector_spaces (id),
		hash               bytea NOT NULL, -- SHA-256 of the embedded text
		embedding          vector NOT NULL,
		source_server_id   text NOT NULL,
		source_server_name text NOT NULL,
		original_name      text NOT NULL,
		is_external        boolean NOT NULL,
		is_classified      boolean NOT NULL,
		skill_ids          text[] NOT NULL,
		used_at            timestamptz NOT NULL DEFAULT now(), -- to the day; not indexed, since every use would update the index
		PRIMARY KEY (space, hash)
	)`

// Maximum dimensions of an HNSW index.
const (
	maxVector  = 2000
	maxHalfvec = 4000
)

// vectorType returns the type to cast vectors of a space to.
func vectorType(space dense.Space) string {
	if space.Dimension > maxVector && space.Dimension <= maxHalfvec {
		return fmt.Sprintf("halfvec(%d)", space.Dimension)
	}
	return fmt.Sprintf("vector(%d)", space.Dimension)
}

// prepare returns the id of a space, creating the tables and its index if necessary.
func (s *Store) prepare(ctx context.Context, space dense.Space) (id int, err error) {
	s.mu.Lock()
	id, ok := s.spaces[space]
	s.mu.Unlock()
	if ok {
		return id, nil
	}
	// Concurrent calls are harmless: each statement is idempotent.
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lockID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, schema); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "INSERT INTO mcp_vector_spaces (model, dimension) VALUES ($1, $2) ON CONFLICT DO NOTHING",
			space.Model, space.Dimension); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT id FROM mcp_vector_spaces WHERE model = $1 AND dimension = $2",
			space.Model, space.Dimension).Scan(&id); err != nil {
			return err
		}
		return createIndex(ctx, tx, space, id)
	})
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spaces[space] = id
	return id, nil
}

func createIndex(ctx context.Context, tx pgx.Tx, space dense.Space, id int) error {
	operators := "vector_cosine_ops"
	switch {
	case space.Dimension > maxHalfvec:
		return nil
	case space.Dimension > maxVector:
		operators = "halfvec_cosine_ops"
	}
	_, err := tx.Exec(ctx, fmt.Sprintf("CREATE INDEX IF NOT EXISTS mcp_tool_vectors_%d ON mcp_tool_vectors USING hnsw ((embedding::%s) %s) WHERE space = %[1]d",
		id, vectorType(space), operators))
	return err
}
