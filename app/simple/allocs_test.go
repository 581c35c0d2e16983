package simple_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

// The allocations of one call and its response, whatever their size: the record of the
// call and its parts.
const (
	recordedAllocs = 2
	recordedBytes  = 180
)

// roundTrip returns a function that makes one call through the whole program, over pipes
// in memory, with an argument and a result of that many bytes.
func roundTrip(tb testing.TB, size int) (call func()) {
	tb.Helper()
	inR, in := io.Pipe()
	outR, out := io.Pipe()
	a := fx.New(
		simple.Compose(simple.Options{Config: writeConfig(tb, "one"), Separator: ":", Stderr: io.Discard}, upstream.Stdio{In: inR, Out: out}),
		testutil.Replace[child.Spawner](testutil.Spawner{"one": testutil.EchoArguments}),
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
	send := func(line []byte) {
		if _, err := in.Write(line); err != nil {
			tb.Error(err)
		}
		if _, err := lines.ReadSlice('\n'); err != nil {
			tb.Error(err)
		}
	}
	send([]byte(hello + "\n"))
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	send([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"))
	line := []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one:x","arguments":{"a":"` + strings.Repeat("x", size) + `"}}}` + "\n")
	return func() { send(line) }
}

func TestACallAllocatesItsRecordAndLittleElse(t *testing.T) {
	for _, size := range []int{100, 10_000} {
		t.Run(fmt.Sprintf("%d bytes", size), func(t *testing.T) {
			call := roundTrip(t, size)
			for range 100 { // buffers grow to their sizes
				call()
			}
			allocs, bytes := allocated(1000, call)
			t.Logf("%.2f allocations of %.0f bytes a call", allocs, bytes)
			if allocs > recordedAllocs+0.1 || bytes > recordedBytes*1.15 {
				t.Errorf("%.2f allocations of %.0f bytes a call, more than the %d of %d recorded", allocs, bytes, recordedAllocs, recordedBytes)
			}
		})
	}
}

// allocated returns the allocations of n calls, per call.
func allocated(n int, call func()) (allocs, bytes float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		call()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}

func BenchmarkRoute(b *testing.B) {
	call := roundTrip(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
