package testutil

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
)

// Raw is a Program without an SDK, so that its messages are not normalized. It responds
// to initialize and tools/list, ignores initialized, and passes every other line to
// Handle.
type Raw struct {
	// Initialize is the raw result of initialize; if empty, a default with tools.
	Initialize string
	// Tools is the raw JSON array of the result of tools/list.
	Tools string
	// Handle is called with every other line and the raw JSON id of a request. It writes
	// to the child's standard output; an exit other than "" ends the child.
	Handle func(line, id string, out io.Writer) child.Exit
}

// Run is the Program.
func (r Raw) Run(_ context.Context, stdio Stdio) child.Exit {
	lines := bufio.NewReader(stdio.In)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return "exit status 0"
		}
		if exit := r.handleLine(strings.TrimSuffix(line, "\n"), stdio.Out); exit != "" {
			return exit
		}
	}
}

func (r Raw) handleLine(line string, out io.Writer) child.Exit {
	var m wire.Message
	if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
		return "exit status 2"
	}
	id := string(m.ID.Of(m.Line))
	switch {
	case m.MethodIs("initialize"):
		Say(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, orDefault(r.Initialize, defaultInitialize))
	case m.MethodIs("tools/list"):
		Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, id, orDefault(r.Tools, "[]"))
	case m.MethodIs("notifications/initialized"):
	case r.Handle != nil:
		return r.Handle(line, id, out)
	}
	return ""
}

const defaultInitialize = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`

func orDefault(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// Say writes one line.
func Say(out io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(out, format+"\n", args...) // the reader may be gone
}

// EchoArguments is a Program with one tool, x, that returns its arguments without
// allocating, so that all allocations of a call are the caller's.
func EchoArguments(ctx context.Context, stdio Stdio) child.Exit {
	lines := bufio.NewReaderSize(stdio.In, 1<<16)
	var answer []byte
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return "exit status 0"
		}
		if !bytes.Contains(line, []byte(`"tools/call"`)) {
			var out bytes.Buffer
			Raw{Tools: `[{"name":"x"}]`}.Run(ctx, Stdio{In: bytes.NewReader(line), Out: &out, Err: io.Discard})
			_, _ = stdio.Out.Write(out.Bytes())
			continue
		}
		id := bytes.Index(line, []byte(`"id":`)) + len(`"id":`)
		answer = append(answer[:0], `{"jsonrpc":"2.0","id":`...)
		answer = append(answer, line[id:id+bytes.IndexByte(line[id:], ',')]...)
		answer = append(answer, `,"result":`...)
		answer = append(answer, line[bytes.Index(line, []byte(`{"a"`)):bytes.IndexByte(line, '}')+1]...)
		answer = append(answer, "}\n"...)
		_, _ = stdio.Out.Write(answer)
	}
}
