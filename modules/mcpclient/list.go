package mcpclient

import (
	"errors"
	"fmt"
	"log/slog"

	"mcp-aggregator/modules/wire"
)

// Bounds of one server's tool list, against one that never ends.
const (
	MaxTools = 100_000
	MaxPages = 10_000
	MaxBytes = 64 << 20
)

// ListTools reads every page of the tool list (MCP 2025-11-25, server/utilities/pagination):
// request makes the request tools/list with the raw params and returns the raw result.
// ListTools returns the raw elements, in order. A list that is too long, or whose pages form
// a cycle, is cut short, which is logged.
func ListTools(request func(params []byte) ([]byte, error), log *slog.Logger) ([][]byte, error) {
	var tools [][]byte
	size := 0
	seen := make(map[string]bool)
	params := []byte("{}")
	for range MaxPages {
		result, err := request(params)
		if err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		list := wire.Member(result, "tools").Of(result)
		if len(list) == 0 || list[0] != '[' {
			return nil, errors.New("tools/list: the result has no array of tools")
		}
		for span := range wire.Elements(list) {
			tools = append(tools, span.Of(list))
		}
		if len(tools) > MaxTools {
			log.Warn("tool list cut short: too many tools", slog.Int("tools", MaxTools))
			return tools[:MaxTools], nil
		}
		if size += len(list); size > MaxBytes {
			log.Warn("tool list cut short: too many bytes", slog.Int("bytes", MaxBytes), slog.Int("tools", len(tools)))
			return tools, nil
		}
		cursor := string(wire.Member(result, "nextCursor").Of(result))
		switch {
		case cursor == "" || cursor == "null" || cursor == `""`: // some servers end with an empty cursor
			return tools, nil
		case seen[cursor]:
			log.Warn("tool list cut short: a page points back to an earlier one", slog.Int("tools", len(tools)))
			return tools, nil
		}
		seen[cursor] = true
		params = append(append([]byte(`{"cursor":`), cursor...), '}')
	}
	log.Warn("tool list cut short: too many pages", slog.Int("pages", MaxPages))
	return tools, nil
}
