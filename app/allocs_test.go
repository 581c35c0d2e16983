package app_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/app"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

// maxAllocs is what one call may allocate on its way there and back: its record,
// and what the maps that hold it need now and then.
const maxAllocs = 3

// frugal is a Program that allocates nothing for a call.
func frugal(ctx context.Context, stdio testutil.Stdio) child.Exit {
	lines := bufio.NewReaderSize(stdio.In, 1<<16)
	var answer []byte
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return "exit status 0"
		}
		if !bytes.Contains(line, []byte(`"tools/call"`)) {
			var out bytes.Buffer
			testutil.Raw{Tools: `[{"name":"x"}]`}.Run(ctx, testutil.Stdio{In: bytes.NewReader(line), Out: &out, Err: io.Discard})
			_, _ = stdio.Out.Write(out.Bytes())
			continue
		}
		id := bytes.Index(line, []byte(`"id":`)) + len(`"id":`)
		answer = append(answer[:0], `{"jsonrpc":"2.0","id":`...)
		answer = append(answer, line[id:id+bytes.IndexByte(line[id:], ',')]...)
		answer = append(answer, `,"result":{"content":[]}}`+"\n"...)
		_, _ = stdio.Out.Write(answer)
	}
}

// roundTrip returns what makes one call through the whole program, over pipes in
// memory.
func roundTrip(tb testing.TB) (call func()) {
	tb.Helper()
	inR, in := io.Pipe()
	outR, out := io.Pipe()
	a := fx.New(
		app.Simple(app.Options{Config: writeConfig(tb, "one"), Separator: ":", Stderr: io.Discard}, upstream.Stdio{In: inR, Out: out}),
		testutil.Replace[child.Spawner](testutil.Spawner{"one": frugal}),
	)
	if err := a.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_, _ = in.Close(), outR.Close()
		if err := a.Stop(context.WithoutCancel(tb.Context())); err != nil {
			tb.Error(err)
		}
	})
	lines := bufio.NewReaderSize(outR, 1<<16)
	ask := func(line []byte) {
		if _, err := in.Write(line); err != nil {
			tb.Error(err)
		}
		if _, err := lines.ReadSlice('\n'); err != nil {
			tb.Error(err)
		}
	}
	ask([]byte(hello + "\n"))
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	ask([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"))
	line := []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one:x","arguments":{"a":"` + strings.Repeat("x", 100) + `"}}}` + "\n")
	return func() { ask(line) }
}

func TestACallAllocatesItsRecordAndLittleElse(t *testing.T) {
	if n := testing.AllocsPerRun(2000, roundTrip(t)); n > maxAllocs {
		t.Errorf("%v allocations a call, not %d", n, maxAllocs)
	}
}

func BenchmarkRoute(b *testing.B) {
	call := roundTrip(b)
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
