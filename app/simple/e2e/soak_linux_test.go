package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

const (
	soakOpen   = 64      // calls in flight
	soakGrowth = 5 << 20 // bytes of memory that may be kept
)

var soakCalls = flag.Int("soak.calls", 20_000, "how many calls the soak test makes")

// The first tenth of the calls may take memory for good; the rest must not add any.
func TestSoakLeavesMemoryAndDescriptorsFlat(t *testing.T) {
	c := startSoak(t)
	early := *soakCalls / 10
	callMany(t, c, 0, early)
	before := measureFootprint()
	began := time.Now()
	callMany(t, c, early, *soakCalls)
	took := time.Since(began)
	after := measureFootprint()
	if after.files > before.files {
		t.Errorf("%d open files, not %d: %q", after.files, before.files, descriptors())
	}
	if after.heap > before.heap+soakGrowth {
		t.Errorf("%d bytes of memory are in use, after a tenth of the calls it was %d", after.heap, before.heap)
	}
	t.Logf("after %d calls: %v", early, before)
	t.Logf("after %d calls: %v", *soakCalls, after)
	t.Logf("%.0f calls/s, %d in flight", float64(*soakCalls-early)/took.Seconds(), soakOpen)
}

// startSoak starts the program with one child process that echoes, and returns its
// client.
func startSoak(t *testing.T) *testutil.Client {
	t.Helper()
	config := writeConfig(t, map[string]string{"a": "echo"})
	mark := testutil.Mark(t)
	c := testutil.NewClient(t)
	app := fx.New(simple.Compose(
		simple.Options{Config: config, Separator: ":", Environ: []string{mark.Entry()}, Stderr: testutil.Printed(io.Discard)},
		upstream.Stdio{In: c.Stdin, Out: c.Stdout},
	))
	if err := app.Start(t.Context()); err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() {
		c.Hangup()
		if err := app.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	c.Initialize()
	c.Send(`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	c.Next()
	return c
}

// callMany makes the calls from number from to number to, which the one child answers in
// their order.
func callMany(t *testing.T, c *testutil.Client, from, to int) {
	t.Helper()
	free := make(chan struct{}, soakOpen)
	var sender sync.WaitGroup
	defer sender.Wait()
	sender.Go(func() {
		for n := from; n < to; n++ {
			free <- struct{}{}
			c.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a:echo","arguments":{"n":%d}}}`, n, n)
		}
	})
	for n := from; n < to; n++ {
		if got, want := c.Next(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, n, n); got != want && !t.Failed() {
			t.Errorf("call %d: got %q, want %q", n, got, want)
		}
		<-free
	}
}

// footprint is the resources that the process holds.
type footprint struct {
	files    int
	heap     uint64 // bytes
	resident int    // KB
}

func measureFootprint() footprint {
	heap := heapInUse() // gives the rest back to the system first
	return footprint{files: len(descriptors()), heap: heap, resident: residentKB()}
}

func (f footprint) String() string {
	return fmt.Sprintf("%d descriptors, %d KB of heap in use, %d KB resident", f.files, f.heap>>10, f.resident)
}
