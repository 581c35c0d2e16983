package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"mcp-aggregator/modules/servers"
)

// Servers implements [servers.Records].
func (s *Store) Servers(ctx context.Context) ([]servers.Server, error) {
	ctx, end, err := s.startQuery(ctx, useTime)
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := s.database.read.QueryContext(ctx, "SELECT "+recordColumns+" FROM external_servers ORDER BY registration")
	if err != nil {
		return nil, err
	}
	return scanAll(rows, s.scanRecord)
}

// Create implements [servers.Records]. A record without a time of registration is
// registered now.
func (s *Store) Create(ctx context.Context, server servers.Server) error {
	if !isUUID(server.ID) {
		return fmt.Errorf("server %q: its id %q is not a lower-case UUID", server.Name, server.ID)
	}
	now := time.Now()
	if server.RegisteredAt.IsZero() {
		server.RegisteredAt = now
	}
	values, err := s.recordValues(&server)
	if err != nil {
		return err
	}
	values = append([]any{server.ID, timeValue(server.RegisteredAt), timeValue(now)}, values...)
	return asNameTaken(s.inTransaction(ctx, useTime, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, insertServer, values...); err != nil {
			return err
		}
		return s.notifyReplicas(ctx, tx, serverTopic)
	}))
}

const insertServer = "INSERT INTO external_servers (" + recordColumns + ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"

// Update implements [servers.Records]. The transaction, and with it change, is retried if
// the database requires that.
func (s *Store) Update(ctx context.Context, id string, change func(*servers.Server) error, events ...servers.Event) (after servers.Server, err error) {
	err = s.inTransaction(ctx, useTime, func(tx *sql.Tx) error {
		before, err := s.selectForUpdate(ctx, tx, id)
		if err != nil {
			return err
		}
		if after, err = s.updateRecord(ctx, tx, before, change); err != nil {
			return err
		}
		return insertEvents(ctx, tx, id, events)
	})
	if err != nil {
		return servers.Server{}, asNameTaken(err)
	}
	return after, nil
}

// updateRecord writes the record that change returns, unless it equals the stored one. It
// compares records and not rows, because a codec may encode the same value differently
// each time.
func (s *Store) updateRecord(ctx context.Context, tx *sql.Tx, before servers.Server, change func(*servers.Server) error) (servers.Server, error) {
	after, err := normalizeRecord(before) // change may write to its maps
	if err != nil {
		return before, err
	}
	if err := change(&after); err != nil {
		return before, err
	}
	after.ID, after.RegisteredAt, after.UpdatedAt = before.ID, before.RegisteredAt, before.UpdatedAt
	if after, err = normalizeRecord(after); err != nil || reflect.DeepEqual(after, before) {
		return before, err
	}
	after.UpdatedAt = storedTime(time.Now())
	if err := s.writeRecord(ctx, tx, after); err != nil {
		return before, err
	}
	if after.Name != before.Name {
		_, err = tx.ExecContext(ctx, renameTools, after.ID, after.Name+".")
	}
	return after, err
}

const renameTools = "UPDATE tools SET namespaced_name = $2 || original_name WHERE source_server_id = $1"

func (s *Store) writeRecord(ctx context.Context, tx *sql.Tx, after servers.Server) error {
	values, err := s.recordValues(&after)
	if err != nil {
		return err
	}
	const update = "UPDATE external_servers SET (updated_at, " + writtenColumns + ") = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) WHERE id = $1"
	if _, err := tx.ExecContext(ctx, update, append([]any{after.ID, timeValue(after.UpdatedAt)}, values...)...); err != nil {
		return err
	}
	return s.notifyReplicas(ctx, tx, serverTopic)
}

// normalizeRecord returns a deep copy of the record as it is read back.
func normalizeRecord(r servers.Server) (servers.Server, error) {
	r.Description, r.HealthCheckURL, r.Error = storedText(r.Description), storedText(r.HealthCheckURL), storedText(r.Error)
	r.LastHealthCheck, r.ConnectedAt, r.UpdatedAt = storedTime(r.LastHealthCheck), storedTime(r.ConnectedAt), storedTime(r.UpdatedAt)
	text, err := json.Marshal(r.Connection)
	if err != nil {
		return r, err
	}
	r.Connection = servers.Connection{}
	return r, json.Unmarshal(text, &r.Connection)
}

// Delete implements [servers.Records].
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.inTransaction(ctx, useTime, func(tx *sql.Tx) error {
		if _, err := s.selectForUpdate(ctx, tx, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM external_servers WHERE id = $1", id); err != nil {
			return err
		}
		return s.notifyReplicas(ctx, tx, serverTopic)
	})
}

// selectForUpdate reads the record with that id, and locks it until the transaction ends.
func (s *Store) selectForUpdate(ctx context.Context, tx *sql.Tx, id string) (servers.Server, error) {
	if !isUUID(id) {
		return servers.Server{}, servers.ErrUnknown
	}
	query := "SELECT " + recordColumns + " FROM external_servers WHERE id = $1" + s.database.forUpdate
	found, err := s.scanRecord(tx.QueryRowContext(ctx, query, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return found, servers.ErrUnknown
	}
	return found, err
}

// asNameTaken returns ErrNameTaken if err is the violation of the unique name, and err
// otherwise.
func asNameTaken(err error) error {
	if isUniqueViolation(err, "external_servers", "name") {
		return servers.ErrNameTaken
	}
	return err
}

// writtenColumns are the columns of a record that every write sets, in the order of
// recordValues. The id, registered_at and updated_at are set apart.
const writtenColumns = `name, description, transport_type, connection_config, auto_connect, wanted,
	health_check_url, status, last_health_check, tool_count, error_message, connected_at`

// recordColumns are all columns of a record, in the order of scanRecord.
const recordColumns = "id, registered_at, updated_at, " + writtenColumns

// recordValues returns the values of writtenColumns.
func (s *Store) recordValues(r *servers.Server) ([]any, error) {
	plain, err := json.Marshal(r.Connection)
	if err != nil {
		return nil, err
	}
	connection, err := s.codec.encode(string(plain))
	if err != nil {
		return nil, fmt.Errorf("server %q: connection_config: %w", r.Name, err)
	}
	return []any{
		r.Name, storedText(r.Description), string(r.Transport), connection, r.AutoConnect, r.Wanted,
		storedText(r.HealthCheckURL), string(r.Status), timeValue(r.LastHealthCheck), r.ToolCount, storedText(r.Error), timeValue(r.ConnectedAt),
	}, nil
}

// scanRecord reads a record from recordColumns.
func (s *Store) scanRecord(scan func(...any) error) (r servers.Server, err error) {
	var connection string
	err = scan(
		&r.ID, timeScanner{&r.RegisteredAt}, timeScanner{&r.UpdatedAt},
		&r.Name, &r.Description, &r.Transport, &connection, &r.AutoConnect, &r.Wanted,
		&r.HealthCheckURL, &r.Status, timeScanner{&r.LastHealthCheck}, &r.ToolCount, &r.Error, timeScanner{&r.ConnectedAt},
	)
	if err != nil {
		return r, err
	}
	plain, err := s.codec.decode(connection)
	if err == nil {
		err = json.Unmarshal([]byte(plain), &r.Connection)
	}
	if err != nil {
		return r, fmt.Errorf("server %q: connection_config: %w", r.Name, err)
	}
	return r, nil
}
