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

// A child may settle between the look at the tools and the look at the statuses.
func TestACallWhoseChildHasJustSettledIsForwarded(t *testing.T) {
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

// blockableWriter is an output whose writes the test can block.
type blockableWriter struct {
	io.Writer
	mu      sync.Mutex
	reached chan struct{} // closed when a write is blocked
}

func (h *blockableWriter) Write(p []byte) (int, error) {
	if !h.mu.TryLock() {
		close(h.reached)
		h.mu.Lock()
	}
	defer h.mu.Unlock()
	return h.Writer.Write(p)
}

// cancellingCaller is a Caller that looks for the call to cancel.
type cancellingCaller struct {
	*fakeServers
	found chan bool
}

func (c cancellingCaller) Cancel(_ *wire.Message, match func(upstream.Replier) bool) {
	c.found <- match(c.calls[0])
}

// Caller.Cancel may hold a lock while it calls match. So nothing may be written to the
// client before it returns.
func TestACallIsCancelledWhileTheClientDoesNotRead(t *testing.T) {
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
	// Once the first request is cancelled, the response to the second completes the batch.
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
