package child_test

import (
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// newServer returns a server with the key "a" that runs the program.
func newServer(t *testing.T, program testutil.Program, o child.Options) (*child.Server, *clientRecorder) {
	t.Helper()
	client := &clientRecorder{}
	spawner := testutil.Spawner{"a": program}
	return child.New(config.ServerConfig{Key: "a"}, spawner, client, &toolsRecorder{}, (&logBuffer{}).logger(0), o), client
}

func TestOneServerFromStartToStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stdin stdinRecorder
		s, client := newServer(t, stdin.record(scripted), child.Options{})
		want(t, "status before Start", s.Status(), child.Status{Key: "a", State: child.Initializing})
		r := &replyRecorder{outcomes: make(chan string, 1)}
		call := scanned(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
		s.Call(call, []byte(`"x"`), r)
		want(t, "outcome before Start", r.await(t), `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' is not running"}}`)
		s.Initialize(initializeParams) // takes effect after Start
		s.Initialize(child.InitializeParams{ProtocolVersion: "2024-11-05"})
		s.Notify(scanned(t, `{"jsonrpc":"2.0","method":"notifications/x"}`))
		s.Start()
		<-s.Settled()
		want(t, "status", s.Status(), child.Status{Key: "a", State: child.Running, Tools: 1})
		s.Call(call, []byte(`"x"`), r)
		s.Flush()
		want(t, "outcome", r.await(t), emptyResult)
		s.Call(call, []byte(`"hang"`), r)
		cancellation := scanned(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		want(t, "no call to cancel", s.Cancel(cancellation, func(child.Replier) bool { return false }), false)
		want(t, "canceled", s.Cancel(cancellation, func(other child.Replier) bool { return other == child.Replier(r) }), true)
		for range 2 {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		}
		want(t, "outcome of a pending call", r.await(t), stopped)
		want(t, "status after Stop", s.Status(), child.Status{Key: "a", State: child.Stopped})
		want(t, "calls of ServerEnded", client.ended, 1)
		lines := stdin.lines()
		want(t, "lines", len(lines), 7) // initialize, initialized, the notification, tools/list, two calls, the cancellation
		want(t, "the last line", lines[len(lines)-1], `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	})
}

func TestAServerThatDoesNotStopIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newServer(t, ignoresStdinEnd(scripted), child.Options{Grace: time.Hour, StopBudget: time.Second})
		s.Start()
		synctest.Wait()
		began := time.Now()
		if err := s.Stop(); err == nil || err.Error() != "children did not end within 1s" {
			t.Errorf("error %v", err)
		}
		want(t, "it took", time.Since(began), time.Second)
		if err := s.Stop(); err != nil {
			t.Errorf("after the kill: %v", err)
		}
		want(t, "state", s.Status().State, child.Stopped)
	})
}

func TestAServerThatWasNotStartedCanBeStopped(t *testing.T) {
	s, _ := newServer(t, scripted, child.Options{})
	s.Kill()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	s.Flush()
	want(t, "canceled", s.Cancel(&wire.Message{}, nil), false)
	want(t, "state", s.Status().State, child.Initializing)
}
