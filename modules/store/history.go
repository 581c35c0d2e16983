package store

import (
	"context"
	"database/sql"
	"time"

	"mcp-aggregator/modules/servers"
)

// MaxEvents is how many events of a server are kept: the newest.
const MaxEvents = 1000

// History implements [servers.Store]. An unknown server has no events.
func (s *Store) History(ctx context.Context, id string, limit int) ([]servers.Event, error) {
	if !isUUID(id) || limit <= 0 {
		return nil, nil
	}
	ctx, end, err := s.startQuery(ctx, useTime)
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := s.database.read.QueryContext(ctx,
		"SELECT server_id, event, details, at FROM server_connection_history WHERE server_id = $1 ORDER BY id DESC LIMIT $2", id, limit)
	if err != nil {
		return nil, err
	}
	return scanAll(rows, func(scan func(...any) error) (e servers.Event, err error) {
		err = scan(&e.Server, &e.Kind, &e.Details, timeScanner{&e.At})
		return e, err
	})
}

// insertEvents adds the events to the history of the server, and deletes the oldest beyond
// MaxEvents.
func insertEvents(ctx context.Context, tx *sql.Tx, id string, events []servers.Event) error {
	for _, e := range events {
		if e.At.IsZero() {
			e.At = time.Now()
		}
		const insert = "INSERT INTO server_connection_history (server_id, event, details, at) VALUES ($1, $2, $3, $4)"
		if _, err := tx.ExecContext(ctx, insert, id, string(e.Kind), storedText(e.Details), timeValue(e.At)); err != nil {
			return err
		}
	}
	if len(events) == 0 {
		return nil
	}
	const forget = `DELETE FROM server_connection_history WHERE server_id = $1 AND id <= (
		SELECT id FROM server_connection_history WHERE server_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`
	_, err := tx.ExecContext(ctx, forget, id, MaxEvents)
	return err
}
