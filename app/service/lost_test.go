package service_test

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// losing is a server with a tool x that executes the first call and closes the connection.
type losing struct {
	tools    string
	executed atomic.Int32
	remote   atomic.Pointer[testutil.Remote]
}

func (l *losing) child(_, id string, out io.Writer) child.Exit {
	if l.executed.Add(1) == 1 {
		return "exit status 3"
	}
	testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
	return ""
}

func (l *losing) answer(_, id string) string {
	if l.executed.Add(1) == 1 {
		l.remote.Load().SetUnavailable(true) // with the connection of this call
		l.remote.Load().SetUnavailable(false)
		return ""
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
}

// register registers it with a service, over that transport.
func (l *losing) register(t *testing.T, transport string) *running {
	t.Helper()
	l.remote.Store(testutil.NewRemote(t, l.tools, l.answer))
	s := start(t, testutil.Spawner{"a": testutil.Raw{Tools: l.tools, Handle: l.child}.Run})
	connection := map[string]string{
		"STDIO": `{"command":"x"}`,
		"SSE":   fmt.Sprintf(`{"url":%q}`, l.remote.Load().SSE),
		"HTTP":  fmt.Sprintf(`{"base_url":%q}`, l.remote.Load().HTTP),
	}[transport]
	s.await(s.register("a", transport, connection).ID, "CONNECTED")
	return s
}

func TestWhatWasLostIsExecutedTwiceOnlyIfThatDoesNoHarm(t *testing.T) {
	t.Parallel()
	for hints, again := range map[string]bool{
		`{}`:                       false,
		`{"idempotentHint":false}`: false,
		`{"idempotentHint":true}`:  true,
		`{"readOnlyHint":true}`:    true,
	} {
		for _, transport := range []string{"STDIO", "SSE", "HTTP"} {
			t.Run(transport+" "+hints, func(t *testing.T) {
				t.Parallel() // most of the time is the pause before it is connected again
				l := &losing{tools: `[{"name":"x","annotations":` + hints + `}]`}
				status, text := l.register(t, transport).rest(http.MethodPost, "/tools/call", `{"name":"a.x","arguments":{}}`)
				want, times := http.StatusBadGateway, int32(1)
				if again {
					want, times = http.StatusOK, 2
				}
				if n := l.executed.Load(); status != want || n != times {
					t.Errorf("it was executed %d times, and is answered with %d %s", n, status, text)
				}
			})
		}
	}
}
