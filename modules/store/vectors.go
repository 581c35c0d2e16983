package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rows a statement.
const (
	readVectors  = 500
	writeVectors = 30
)

// day is what is kept of the time of a use, so that it is written once a day.
func day(t time.Time) int64 { return t.Unix() / int64(24*time.Hour/time.Second) }

// CachedVectors returns the vectors of hashes that are kept of a model and dimension, and
// notes that they are in use. With the two methods below, it is what the search by meaning
// keeps its vectors in.
func (s *Store) CachedVectors(ctx context.Context, model string, dimension int, hashes [][32]byte) (map[[32]byte][]float32, error) {
	found := make(map[[32]byte][]float32, len(hashes))
	ctx, end, err := s.startQuery(ctx, listTime)
	if err != nil {
		return nil, err
	}
	defer end()
	today := day(time.Now())
	var old [][32]byte
	for some := range slices.Chunk(hashes, readVectors) {
		statement, values := ofHashes("SELECT hash, numbers, used_on FROM tool_vectors", storedText(model), dimension, some)
		rows, err := s.database.read.QueryContext(ctx, statement, values...)
		if err != nil {
			return nil, fmt.Errorf("database: %w", err)
		}
		all, err := scanAll(rows, scanVector)
		if err != nil {
			return nil, fmt.Errorf("database: %w", err)
		}
		for _, v := range all {
			found[v.hash] = v.numbers
			if v.usedOn < today {
				old = append(old, v.hash)
			}
		}
	}
	return found, s.useVectors(ctx, storedText(model), dimension, old, today)
}

// useVectors notes a use that is of another day than the last one.
func (s *Store) useVectors(ctx context.Context, model string, dimension int, hashes [][32]byte, today int64) error {
	if len(hashes) == 0 {
		return nil
	}
	return s.inTransaction(ctx, listTime, func(tx *sql.Tx) error {
		for some := range slices.Chunk(hashes, readVectors) {
			statement, values := ofHashes("UPDATE tool_vectors SET used_on = "+strconv.FormatInt(today, 10), model, dimension, some)
			if _, err := tx.ExecContext(ctx, statement, values...); err != nil {
				return err
			}
		}
		return nil
	})
}

// CacheVectors keeps vectors of a model and dimension, in place of those with their hashes.
func (s *Store) CacheVectors(ctx context.Context, model string, dimension int, vectors map[[32]byte][]float32) error {
	if len(vectors) == 0 {
		return ctx.Err()
	}
	today := day(time.Now())
	hashes := make([][32]byte, 0, len(vectors))
	for hash := range vectors {
		hashes = append(hashes, hash)
	}
	// In one order, so that replicas that keep the same ones do not wait for each other.
	slices.SortFunc(hashes, func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	return s.inTransaction(ctx, listTime, func(tx *sql.Tx) error {
		for some := range slices.Chunk(hashes, writeVectors) {
			values := make([]any, 0, 5*len(some))
			for _, hash := range some {
				values = append(values, storedText(model), dimension, hash[:], encodeVector(vectors[hash]), today)
			}
			statement := insertVectors(len(some))
			if _, err := tx.ExecContext(ctx, statement, values...); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertVectors is a statement that inserts or replaces n rows.
func insertVectors(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("($%d, $%d, $%d, $%d, $%d)", 5*i+1, 5*i+2, 5*i+3, 5*i+4, 5*i+5)
	}
	return "INSERT INTO tool_vectors (model, dimension, hash, numbers, used_on) VALUES " + strings.Join(rows, ", ") +
		" ON CONFLICT (model, dimension, hash) DO UPDATE SET numbers = excluded.numbers, used_on = excluded.used_on"
}

// DeleteUnusedVectors deletes those that were last kept or returned on a day before that of
// before.
func (s *Store) DeleteUnusedVectors(ctx context.Context, before time.Time) error {
	return s.inTransaction(ctx, listTime, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM tool_vectors WHERE used_on < $1", day(before))
		return err
	})
}

// ofHashes is a statement about some vectors, with its values.
func ofHashes(do, model string, dimension int, hashes [][32]byte) (statement string, values []any) {
	values = []any{model, dimension}
	places := make([]string, len(hashes))
	for i := range hashes {
		values = append(values, hashes[i][:])
		places[i] = "$" + strconv.Itoa(len(values))
	}
	return do + " WHERE model = $1 AND dimension = $2 AND hash IN (" + strings.Join(places, ", ") + ")", values
}

type storedVector struct {
	hash    [32]byte
	numbers []float32
	usedOn  int64
}

func scanVector(scan func(...any) error) (v storedVector, err error) {
	var hash, numbers []byte
	if err := scan(&hash, &numbers, &v.usedOn); err != nil {
		return v, err
	}
	copy(v.hash[:], hash)
	v.numbers = make([]float32, len(numbers)/4)
	for i := range v.numbers {
		v.numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
	}
	return v, nil
}

func encodeVector(numbers []float32) []byte {
	data := make([]byte, 0, 4*len(numbers))
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}
