package upstream_test

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAClosedOutputEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testutil.NewClient(t)
		defer c.Hangup()
		s, _, _ := serve(t, upstream.Stdio{In: c.Stdin, Out: brokenWriter{}}, upstream.Options{})
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		<-s.Done()
		if err := s.Err(); err != nil {
			t.Errorf("a client that is gone is no error: %v", err)
		}
	})
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

func (brokenReader) Close() error { return nil }

func TestAStreamThatCannotBeReadIsTheSessionsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("input/output error")
		s, _, _ := serve(t, upstream.Stdio{In: brokenReader{bad}, Out: io.Discard}, upstream.Options{})
		<-s.Done()
		if err := s.Err(); !errors.Is(err, bad) {
			t.Errorf("got %v, want %v", err, bad)
		}
	})
}

func TestAMessageOverTheLimitIsRefusedAndTheSessionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testutil.NewClient(t)
		defer c.Hangup()
		serve(t, upstream.Stdio{In: c.Stdin, Out: c.Stdout}, upstream.Options{MaxMessage: 1000})
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":"%s"}`, strings.Repeat("x", 1000))
		want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: message of 1052 bytes exceeds the limit of 1000 bytes"}}`
		if got := c.Next(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		c.Send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if got := c.Next(); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
			t.Errorf("got %s", got)
		}
	})
}

func TestStopAnswersParkedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testutil.NewClient(t)
		defer c.Hangup()
		s, _, _ := serve(t, upstream.Stdio{In: c.Stdin, Out: c.Stdout}, upstream.Options{ListWait: time.Hour})
		c.Initialize()
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}}`)
		c.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		synctest.Wait()
		began := time.Now()
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("stopping took %v", took)
		}
		answers := c.Next() + c.Next()
		for _, want := range []string{`"id":1,"error":{"code":-32603,"message":"The aggregator is stopping"}`, `"id":2,"result":{"tools":[]}`} {
			if !strings.Contains(answers, want) {
				t.Errorf("got %s, want %s in it", answers, want)
			}
		}
	})
}

// stalledWriter blocks writes until it is closed.
type stalledWriter chan struct{}

func (w stalledWriter) Write([]byte) (int, error) {
	<-w
	return 0, io.ErrClosedPipe
}

func TestAClientThatDoesNotReadDoesNotBlockStop(t *testing.T) {
	c := testutil.NewClient(t)
	stalled := make(stalledWriter)
	s, _, _ := serve(t, upstream.Stdio{In: c.Stdin, Out: stalled}, upstream.Options{})
	c.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if err := s.Stop(t.Context()); err != nil { // must not block
		t.Error(err)
	}
	close(stalled)
	c.Hangup()
}

func TestTheSessionEndsWhenAClientClosesItsEndAndDoesNotRead(t *testing.T) {
	c := testutil.NewClient(t)
	stalled := make(stalledWriter)
	s, _, _ := serve(t, upstream.Stdio{In: c.Stdin, Out: stalled}, upstream.Options{DrainTimeout: time.Millisecond})
	c.SendRaw(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) // the SDK answers in another goroutine
	c.Close()
	select {
	case <-s.Done():
	case <-time.After(time.Minute):
		t.Error("the session goes on")
	}
	close(stalled)
	c.Hangup()
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAnOutputThatCannotBeWrittenIsTheSessionsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testutil.NewClient(t)
		defer c.Hangup()
		s, _, _ := serve(t, upstream.Stdio{In: c.Stdin, Out: fullWriter{}}, upstream.Options{})
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		c.Close() // the result must not depend on which of the two is noticed first
		<-s.Done()
		if err := s.Err(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTheChildrenGetInitializeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testutil.NewClient(t)
		defer c.Hangup()
		_, f, _ := serve(t, upstream.Stdio{In: c.Stdin, Out: c.Stdout}, upstream.Options{})
		c.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":7}`)
		if got := c.Next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":0,"error":`) {
			t.Errorf("got %s", got)
		}
		c.Initialize()
		c.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
		c.Next()
		c.Send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		synctest.Wait()
		if len(f.clients) != 1 || f.clients[0].ProtocolVersion != "2025-11-25" || len(f.notified) != 1 {
			t.Errorf("greeted %d times, notified %q", len(f.clients), f.notified)
		}
	})
}
