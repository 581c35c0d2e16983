package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcp-aggregator/modules/search"
)

// LoadVotes implements [search.LearningStore].
func (s *Store) LoadVotes(ctx context.Context) ([]search.Vote, error) {
	ctx, end, err := s.startQuery(ctx, listTime)
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := s.database.read.QueryContext(ctx, "SELECT stem, server, tool, principal, weight, at FROM search_votes")
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return scanAll(rows, scanVote)
}

func scanVote(scan func(...any) error) (v search.Vote, err error) {
	var at int64
	err = scan(&v.Stem, &v.Server, &v.OriginalName, &v.Principal, &v.Weight, &at)
	v.At = time.Unix(at, 0).UTC()
	return v, err
}

// SaveVotes implements [search.LearningStore].
func (s *Store) SaveVotes(ctx context.Context, votes []search.Vote) error {
	votes = normalizeVotes(votes)
	return s.inTransaction(ctx, listTime, func(tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, `INSERT INTO search_votes (stem, server, tool, principal, weight, at)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (stem, server, tool, principal) DO UPDATE SET weight = excluded.weight, at = excluded.at`)
		if err != nil {
			return fmt.Errorf("database: %w", err)
		}
		defer put.Close() //nolint:errcheck // the transaction ends it
		drop, err := tx.PrepareContext(ctx, "DELETE FROM search_votes WHERE stem = $1 AND server = $2 AND tool = $3 AND principal = $4")
		if err != nil {
			return fmt.Errorf("database: %w", err)
		}
		defer drop.Close() //nolint:errcheck // the transaction ends it
		for _, v := range votes {
			if v.Weight == 0 {
				_, err = drop.ExecContext(ctx, v.Stem, v.Server, v.OriginalName, v.Principal)
			} else {
				_, err = put.ExecContext(ctx, v.Stem, v.Server, v.OriginalName, v.Principal, v.Weight, v.At.Unix())
			}
			if err != nil {
				return fmt.Errorf("database: %w", err)
			}
		}
		return nil
	})
}

// normalizeVotes returns the votes as they are read back, each once, in one order: replicas
// that save the same ones do not wait for each other in a circle.
func normalizeVotes(votes []search.Vote) []search.Vote {
	type key struct{ stem, server, own, principal string }
	stored := make(map[key]search.Vote, len(votes))
	for _, v := range votes {
		v.Stem, v.Server, v.OriginalName, v.Principal = storedText(v.Stem), storedText(v.Server), storedText(v.OriginalName), storedText(v.Principal)
		stored[key{v.Stem, v.Server, v.OriginalName, v.Principal}] = v
	}
	return slices.SortedFunc(maps.Values(stored), func(a, b search.Vote) int {
		return cmp.Or(cmp.Compare(a.Stem, b.Stem), cmp.Compare(a.Server, b.Server), cmp.Compare(a.OriginalName, b.OriginalName), cmp.Compare(a.Principal, b.Principal))
	})
}
