package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mcp-aggregator/modules/servers"
)

// Servers is that of [servers.Records].
func (s *Store) Servers(ctx context.Context) ([]servers.Server, error) {
	ctx, end, err := s.use(ctx, useTime)
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := s.database.read.QueryContext(ctx, "SELECT "+recordColumns+" FROM external_servers ORDER BY registration")
	if err != nil {
		return nil, err
	}
	return collect(rows, scanServer)
}

// Create is that of [servers.Records]. A record without a time of registration is
// registered now.
func (s *Store) Create(ctx context.Context, server servers.Server) error {
	if !isUUID(server.ID) {
		return fmt.Errorf("server %q: its id %q is no UUID in lower case", server.Name, server.ID)
	}
	now := time.Now()
	if server.RegisteredAt.IsZero() {
		server.RegisteredAt = now
	}
	values, err := row(&server)
	if err != nil {
		return err
	}
	values = append([]any{server.ID, column(server.RegisteredAt), column(now)}, values...)
	return s.within(ctx, useTime, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, insertServer, values...); err != nil {
			return err
		}
		return s.tell(ctx, tx)
	})
}

const insertServer = "INSERT INTO external_servers (" + recordColumns + ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"

// Update is that of [servers.Records]. It runs change, which must not use the
// store, once more if the database so demands; the id, the time of registration
// and the time of the update are not change's to change.
func (s *Store) Update(ctx context.Context, id string, change func(*servers.Server) error, events ...servers.Event) (after servers.Server, err error) {
	err = s.within(ctx, useTime, func(tx *sql.Tx) error {
		before, err := s.find(ctx, tx, id)
		if err != nil {
			return err
		}
		if after, err = s.revise(ctx, tx, before, change); err != nil {
			return err
		}
		return remember(ctx, tx, id, events)
	})
	if err != nil {
		return servers.Server{}, err
	}
	return after, nil
}

// revise writes what change makes of the record, if it is something else.
func (s *Store) revise(ctx context.Context, tx *sql.Tx, before servers.Server, change func(*servers.Server) error) (servers.Server, error) {
	values, err := row(&before)
	if err != nil {
		return before, err
	}
	after, name := before, before.Name
	if err := change(&after); err != nil {
		return before, err
	}
	after.ID, after.RegisteredAt, after.UpdatedAt = before.ID, before.RegisteredAt, before.UpdatedAt
	changed, err := row(&after)
	if err != nil {
		return before, err
	}
	if !slices.Equal(values, changed) {
		after.UpdatedAt = time.Now()
		if err := s.write(ctx, tx, after, changed); err != nil {
			return before, err
		}
	}
	if after.Name != name {
		_, err = tx.ExecContext(ctx, renameTools, after.ID, after.Name+".")
	}
	if err != nil {
		return before, err
	}
	return s.asStored(after)
}

const renameTools = "UPDATE tools SET namespaced_name = $2 || original_name WHERE source_server_id = $1"

func (s *Store) write(ctx context.Context, tx *sql.Tx, after servers.Server, values []any) error {
	const update = "UPDATE external_servers SET (updated_at, " + columns + ") = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) WHERE id = $1"
	if _, err := tx.ExecContext(ctx, update, append([]any{after.ID, column(after.UpdatedAt)}, values...)...); err != nil {
		return err
	}
	return s.tell(ctx, tx)
}

// asStored is the record as it comes back when it is read.
func (s *Store) asStored(r servers.Server) (servers.Server, error) {
	r.Description, r.HealthCheckURL, r.Error = clean(r.Description), clean(r.HealthCheckURL), clean(r.Error)
	r.LastHealthCheck, r.ConnectedAt, r.UpdatedAt = moment(r.LastHealthCheck), moment(r.ConnectedAt), moment(r.UpdatedAt)
	text, err := encode(r.Connection)
	if err != nil {
		return r, err
	}
	r.Connection, err = decode(text)
	return r, err
}

// Delete is that of [servers.Records].
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.within(ctx, useTime, func(tx *sql.Tx) error {
		if _, err := s.find(ctx, tx, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM external_servers WHERE id = $1", id); err != nil {
			return err
		}
		return s.tell(ctx, tx)
	})
}

// find reads the record with that id, and keeps it from others until the
// transaction ends.
func (s *Store) find(ctx context.Context, tx *sql.Tx, id string) (servers.Server, error) {
	if !isUUID(id) {
		return servers.Server{}, servers.ErrUnknown
	}
	query := "SELECT " + recordColumns + " FROM external_servers WHERE id = $1" + s.database.forUpdate
	found, err := scanServer(tx.QueryRowContext(ctx, query, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return found, servers.ErrUnknown
	}
	return found, err
}

// refusal is err in the words of the contract.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if ok && pg.Code == "23505" && pg.ConstraintName == "external_servers_name_key" {
		return servers.ErrNameTaken
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	if ok && lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE && strings.Contains(lite.Error(), "external_servers.name") {
		return servers.ErrNameTaken
	}
	return err
}

// columns are those of a record that are written, in the order of row; its
// id, registered_at and updated_at are apart.
const columns = `name, description, transport_type, connection_config, auto_connect, wanted,
	health_check_url, status, last_health_check, tool_count, error_message, connected_at`

// recordColumns are those of a record in the order in which scanServer reads them.
const recordColumns = "id, registered_at, updated_at, " + columns

// row is what is written of a record. Its values can be compared.
func row(s *servers.Server) ([]any, error) {
	connection, err := encode(s.Connection)
	if err != nil {
		return nil, err
	}
	return []any{
		s.Name, clean(s.Description), string(s.Transport), connection, s.AutoConnect, s.Wanted,
		clean(s.HealthCheckURL), string(s.Status), column(s.LastHealthCheck), s.ToolCount, clean(s.Error), column(s.ConnectedAt),
	}, nil
}

// scanServer reads a record of recordColumns.
func scanServer(scan func(...any) error) (s servers.Server, err error) {
	var connection string
	err = scan(
		&s.ID, instant{&s.RegisteredAt}, instant{&s.UpdatedAt},
		&s.Name, &s.Description, &s.Transport, &connection, &s.AutoConnect, &s.Wanted,
		&s.HealthCheckURL, &s.Status, instant{&s.LastHealthCheck}, &s.ToolCount, &s.Error, instant{&s.ConnectedAt},
	)
	if err != nil {
		return s, err
	}
	if s.Connection, err = decode(connection); err != nil {
		return s, fmt.Errorf("server %q: %w", s.Name, err)
	}
	return s, nil
}

// encode and decode are the only places that know what connection_config holds.
func encode(c servers.Connection) (string, error) {
	text, err := json.Marshal(c)
	return string(text), err
}

func decode(text string) (c servers.Connection, err error) {
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return c, fmt.Errorf("connection_config: %w", err)
	}
	return c, nil
}
