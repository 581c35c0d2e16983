package simple_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

// reads counts the reads until n lines have arrived. A read of a pipe in memory returns
// one write.
func reads(in io.Reader, n int) (count int, text string) {
	var all bytes.Buffer
	buf := make([]byte, 1<<20)
	for bytes.Count(all.Bytes(), []byte("\n")) < n {
		got, err := in.Read(buf)
		if err != nil {
			return count, all.String()
		}
		all.Write(buf[:got])
		count++
	}
	return count, all.String()
}

func TestLinesThatComeTogetherGoTogether(t *testing.T) {
	const calls, fewWrites = 64, 4
	arrived := make(chan int, 1)
	batching := func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		for initialized := false; !initialized; {
			_, text := reads(stdio.In, 1)
			var out bytes.Buffer
			testutil.Raw{Tools: `[{"name":"x"}]`}.Run(ctx, testutil.Stdio{In: strings.NewReader(text), Out: &out, Err: io.Discard})
			_, _ = stdio.Out.Write(out.Bytes())
			initialized = strings.Contains(text, `"tools/list"`)
		}
		count, text := reads(stdio.In, calls)
		arrived <- count
		var answers bytes.Buffer
		for line := range strings.Lines(text) {
			_, rest, _ := strings.Cut(line, `"id":`)
			id, _, _ := strings.Cut(rest, ",")
			fmt.Fprintf(&answers, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", id)
		}
		_, _ = stdio.Out.Write(answers.Bytes())
		_, _ = io.Copy(io.Discard, stdio.In)
		return "exit status 0"
	}
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	a := fx.New(
		simple.Compose(simple.Options{Config: writeConfig(t, "one"), Separator: ":", Stderr: io.Discard}, upstream.Stdio{In: inR, Out: outW}),
		testutil.Replace[child.Spawner](testutil.Spawner{"one": batching}),
	)
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_, _ = in.Close(), out.Close()
		_ = a.Stop(context.WithoutCancel(t.Context()))
	}()
	_, _ = io.WriteString(in, hello+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`+"\n")
	reads(out, 2)
	var asked bytes.Buffer
	for i := range calls {
		fmt.Fprintf(&asked, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"one:x"}}`+"\n", i)
	}
	_, _ = in.Write(asked.Bytes())
	if n := <-arrived; n > fewWrites {
		t.Errorf("%d calls took %d writes to the server", calls, n)
	}
	if n, _ := reads(out, calls); n > fewWrites {
		t.Errorf("%d answers took %d writes to the client", calls, n)
	}
}
