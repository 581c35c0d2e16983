package store

import (
	"bytes"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"mcp-aggregator/modules/servers"
)

const toolColumns = `t.source_server_id, t.original_name, t.namespaced_name, t.description,
	t.input_schema, t.raw_definition, t.is_classified`

// Tools implements [servers.ToolStore].
func (s *Store) Tools(ctx context.Context) ([]servers.Tool, error) {
	ctx, end, err := s.startQuery(ctx, listTime)
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := s.database.read.QueryContext(ctx, "SELECT "+toolColumns+` FROM tools t
		JOIN external_servers s ON s.id = t.source_server_id ORDER BY s.registration, t.position`)
	if err != nil {
		return nil, err
	}
	return scanAll(rows, scanTool)
}

func scanTool(scan func(...any) error) (t servers.Tool, err error) {
	err = scan(&t.Server, &t.Name, &t.Namespaced, &t.Description, &t.InputSchema, &t.Definition, &t.Classified)
	return t, err
}

// ReplaceTools implements [servers.ToolStore].
func (s *Store) ReplaceTools(ctx context.Context, id string, tools []servers.Tool) error {
	return s.inTransaction(ctx, listTime, func(tx *sql.Tx) error {
		server, err := s.selectForUpdate(ctx, tx, id)
		if err != nil {
			return err
		}
		tools := normalizeTools(server, tools)
		rows, err := tx.QueryContext(ctx, "SELECT "+toolColumns+" FROM tools t WHERE t.source_server_id = $1 ORDER BY t.position", id)
		if err != nil {
			return err
		}
		stored, err := scanAll(rows, scanTool)
		if err != nil || slices.EqualFunc(stored, tools, sameTool) {
			return err
		}
		return s.insertTools(ctx, tx, id, tools)
	})
}

// normalizeTools returns the tools as they are read back.
func normalizeTools(server servers.Server, tools []servers.Tool) []servers.Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		t := &tools[i]
		t.Name, t.Description = storedText(t.Name), storedText(t.Description)
		t.Server, t.Namespaced = server.ID, server.Name+"."+t.Name
	}
	return tools
}

func sameTool(a, b servers.Tool) bool {
	return a.Name == b.Name && a.Namespaced == b.Namespaced && a.Description == b.Description && a.Classified == b.Classified &&
		bytes.Equal(a.InputSchema, b.InputSchema) && bytes.Equal(a.Definition, b.Definition)
}

func (s *Store) insertTools(ctx context.Context, tx *sql.Tx, id string, tools []servers.Tool) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM tools WHERE source_server_id = $1", id); err != nil {
		return err
	}
	// Rows per statement: with more, SQLite takes longer to bind the values.
	const batch = 30
	position := 0
	for some := range slices.Chunk(tools, batch) {
		values := make([]any, 0, len(some)*toolValues)
		for _, t := range some {
			values = append(values, t.Server, position, t.Name, t.Namespaced, t.Description, nullableBytes(t.InputSchema), t.Definition, true, t.Classified)
			position++
		}
		if _, err := tx.ExecContext(ctx, insertToolsQuery(len(some)), values...); err != nil {
			return err
		}
	}
	return s.notifyReplicas(ctx, tx, serverTopic)
}

// toolValues is the number of values in a row of tools.
const toolValues = 9

// insertToolsQuery returns a statement that inserts n rows.
func insertToolsQuery(n int) string {
	var text strings.Builder
	text.WriteString(`INSERT INTO tools (source_server_id, position, original_name, namespaced_name, description,
		input_schema, raw_definition, is_external, is_classified) VALUES `)
	for i := range n {
		if i > 0 {
			text.WriteString(", ")
		}
		for j := range toolValues {
			text.WriteString([]string{"($", ", $"}[min(j, 1)] + strconv.Itoa(i*toolValues+j+1))
		}
		text.WriteString(")")
	}
	return text.String()
}

// nullableBytes returns raw JSON as a value: NULL for none.
func nullableBytes(raw []byte) any {
	if len(raw) == 0 {
		return nil
	}
	return raw
}
