package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"mcp-aggregator/modules/wire"
)

// Bounds of one child's tool list, against one that never ends.
const (
	maxTools = 100_000
	maxPages = 10_000
	maxBytes = 64 << 20
)

// listTools reads every page of the child's tools/list.
func (l *link) listTools(ctx context.Context) ([][]byte, error) {
	var tools [][]byte
	size := 0
	seen := make(map[string]bool)
	params := []byte("{}")
	for range maxPages {
		result, err := l.ask(ctx, "tools/list", params)
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
		if len(tools) > maxTools {
			l.log.Warn("tool list cut short: too many tools", slog.Int("tools", maxTools))
			return tools[:maxTools], nil
		}
		if size += len(list); size > maxBytes {
			l.log.Warn("tool list cut short: too many bytes", slog.Int("bytes", maxBytes), slog.Int("tools", len(tools)))
			return tools, nil
		}
		cursor := string(wire.Member(result, "nextCursor").Of(result))
		switch {
		case cursor == "" || cursor == "null" || cursor == `""`: // some servers end with an empty cursor
			return tools, nil
		case seen[cursor]:
			l.log.Warn("tool list cut short: a page points back to an earlier one", slog.Int("tools", len(tools)))
			return tools, nil
		}
		seen[cursor] = true
		params = append(append([]byte(`{"cursor":`), cursor...), '}')
	}
	l.log.Warn("tool list cut short: too many pages", slog.Int("pages", maxPages))
	return tools, nil
}

// ask makes a request of our own on the traffic plane and returns the raw
// result.
func (l *link) ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	line := wire.AppendRequest(nil, []byte("0"), method, params)
	var m wire.Message
	if err := new(wire.Scanner).Scan(line, &m); err != nil {
		return nil, err
	}
	answer := make(answer, 1)
	l.call(&m, nil, answer)
	l.out.flush()
	select {
	case a := <-answer:
		if a.refusal != nil {
			return nil, errors.New("the server answered with the error " + l.shown(a.refusal))
		}
		return a.result, a.err
	case <-ctx.Done():
		l.calls.cancel(func(r Replier) bool { return r == answer })
		return nil, ctx.Err()
	}
}

// answer is the Replier of a request of our own.
type answer chan reply

type reply struct {
	result  []byte
	refusal []byte // the child's error, raw
	err     error  // ours
}

func (a answer) Reply(response *wire.Message) {
	a <- reply{
		result:  bytes.Clone(response.Result.Of(response.Line)),
		refusal: bytes.Clone(response.Error.Of(response.Line)),
	}
}

func (a answer) Fail(err *wire.Error) { a <- reply{err: err} }
