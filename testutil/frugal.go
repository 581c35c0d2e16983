package testutil

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"mcp-aggregator/modules/child"
)

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
