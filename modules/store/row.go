package store

import (
	"database/sql"
	"fmt"

	"mcp-aggregator/modules/servers"
)

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

// collect reads all rows.
func collect[T any](rows *sql.Rows, one func(scan func(...any) error) (T, error)) (all []T, err error) {
	defer rows.Close()
	for rows.Next() {
		item, err := one(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, rows.Err()
}
