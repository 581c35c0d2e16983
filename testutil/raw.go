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

// Raw is a Program without an SDK, so that nothing it says is normalised. It
// answers initialize and tools/list by itself, from Tools, takes note of
// initialized, and leaves every other line to Handle.
type Raw struct {
	// Initialize is the raw result of initialize; a usual one with tools when
	// empty.
	Initialize string
	// Tools is the raw JSON array of tools/list.
	Tools string
	// Handle gets every other line and the id of a request (raw JSON). What it
	// writes to out is what the child says; an exit other than "" ends it.
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
	_, _ = fmt.Fprintf(out, format+"\n", args...) // a reader that is gone hears nothing
}

// EchoArguments is a Program with one tool, x, that answers with the object it is called with
// and allocates nothing for that, so that what a call allocates is the caller's.
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
