package upstream_test

import (
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

func TestACallThatWaitsForItsChildCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testutil.NewClient(t)
		defer c.Hangup()
		_, f, tools := serve(t, upstream.Stdio{In: c.Stdin, Out: c.Stdout}, upstream.Options{})
		c.Initialize()
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}}`)
		c.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one:x"}}`)
		c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		synctest.Wait()
		tools.ReplaceTools("one", [][]byte{[]byte(`{"name":"x"}`)})
		close(f.settled)
		synctest.Wait()
		if len(f.calls) != 1 {
			t.Fatalf("%d calls reach the child, want the one that was not cancelled", len(f.calls))
		}
		f.calls[0].Fail(&wire.Error{Code: -1, Message: "the second"})
		c.Send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		if got := c.Next(); got != `{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"the second"}}` {
			t.Errorf("got %s", got)
		}
	})
}

// A child may settle between the look for its tool and the look at its status.
func TestACallWhoseChildHasJustSettledIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testutil.NewClient(t)
		defer c.Hangup()
		_, f, tools := serve(t, upstream.Stdio{In: c.Stdin, Out: c.Stdout}, upstream.Options{})
		f.beforeStatuses = func() {
			tools.ReplaceTools("one", [][]byte{[]byte(`{"name":"x"}`)})
			f.ready.Store(true)
		}
		c.Initialize()
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}}`)
		synctest.Wait()
		if len(f.calls) != 1 {
			t.Fatalf("%d calls reach the child: %s", len(f.calls), c.Next())
		}
		f.calls[0].Fail(&wire.Error{Code: -1, Message: "done"})
	})
}

// blockableWriter is an output that can be made to take nothing.
type blockableWriter struct {
	io.Writer
	mu      sync.Mutex
	reached chan struct{} // a write waits
}

func (h *blockableWriter) Write(p []byte) (int, error) {
	if !h.mu.TryLock() {
		close(h.reached)
		h.mu.Lock()
	}
	defer h.mu.Unlock()
	return h.Writer.Write(p)
}

// cancellingCaller is a family that finds the call to cancel.
type cancellingCaller struct {
	*fakeServers
	found chan bool
}

func (c cancellingCaller) Cancel(_ *wire.Message, match func(upstream.Replier) bool) {
	c.found <- match(c.calls[0])
}

// The child's side may hold a lock while it asks which call is meant, and has the
// child told before a client that takes nothing is written to.
func TestACancellationIsFoundWhileTheClientTakesNothing(t *testing.T) {
	c := testutil.NewClient(t)
	defer c.Hangup()
	out := &blockableWriter{Writer: c.Stdout, reached: make(chan struct{})}
	found := make(chan bool, 1)
	_, f, tools := serveWithCaller(t, upstream.Stdio{In: c.Stdin, Out: out}, upstream.Options{}, func(f *fakeServers) upstream.Caller {
		return cancellingCaller{f, found}
	})
	tools.ReplaceTools("one", [][]byte{[]byte(`{"name":"x"}`)})
	f.ready.Store(true)
	c.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	c.Next()
	// The answer to the second is the rest of the batch once the first is cancelled.
	c.Send(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	out.mu.Lock()
	c.Send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	<-out.reached
	c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	select {
	case yes := <-found:
		if !yes {
			t.Error("the call is not found")
		}
	case <-time.After(time.Minute):
		t.Error("finding the call waits for the client")
	}
	out.mu.Unlock()
	for _, want := range []string{`{"jsonrpc":"2.0","id":3,"result":{}}`, `[{"jsonrpc":"2.0","id":2,"result":{}}]`} {
		if got := c.Next(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
