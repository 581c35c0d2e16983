package app_test

import (
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

const (
	soakOpen   = 64      // calls in flight
	soakGrowth = 5 << 20 // bytes of memory that may be kept
)

var soakCalls = flag.Int("soak.calls", 20_000, "how many calls the soak test makes")

// What a tenth of the calls takes for good is taken: the rest adds nothing.
func TestSoakLeavesMemoryAndDescriptorsFlat(t *testing.T) {
	a := soaked(t)
	early := *soakCalls / 10
	soak(t, a, 0, early)
	before := takeFootprint()
	began := time.Now()
	soak(t, a, early, *soakCalls)
	took := time.Since(began)
	after := takeFootprint()
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

// soaked starts the program with one real child that echoes, and returns its
// a.
func soaked(t *testing.T) *aggregator {
	t.Helper()
	config := ownServers(t, map[string]string{"a": "parrot"})
	mark := testutil.Mark(t)
	a := &aggregator{t: t, Client: testutil.NewClient(t), log: &syncBuffer{}}
	a.fx = fx.New(app.Simple(
		app.Options{Config: config, Separator: ":", Environ: []string{mark.Entry()}, Stderr: testutil.Printed(a.log)},
		upstream.Stdio{In: a.Stdin, Out: a.Stdout},
	))
	if err := a.fx.Start(t.Context()); err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(a.stop)
	a.Initialize()
	a.tools()
	return a
}

// soak makes calls number from to number to. One child answers them in their
// order.
func soak(t *testing.T, a *aggregator, from, to int) {
	t.Helper()
	free := make(chan struct{}, soakOpen)
	var sender sync.WaitGroup
	defer sender.Wait()
	sender.Go(func() {
		for n := from; n < to; n++ {
			free <- struct{}{}
			a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a:echo","arguments":{"n":%d}}}`, n, n)
		}
	})
	for n := from; n < to; n++ {
		if got, want := a.Next(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, n, n); got != want && !t.Failed() {
			t.Errorf("call %d: got %q, want %q", n, got, want)
		}
		<-free
	}
}

// footprint is what the process holds.
type footprint struct {
	files    int
	heap     uint64 // bytes
	resident int    // KB
}

func takeFootprint() footprint {
	heap := heapInUse() // gives the rest back to the system first
	return footprint{files: len(descriptors()), heap: heap, resident: residentKB()}
}

func (f footprint) String() string {
	return fmt.Sprintf("%d descriptors, %d KB of heap in use, %d KB resident", f.files, f.heap>>10, f.resident)
}
