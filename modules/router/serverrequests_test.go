package router_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// client is a fake router.Client.
type client struct {
	session      string
	unsupporting bool // ForwardRequest returns nil

	mu            sync.Mutex
	notifications []string
	requests      []string
	answer        func(*wire.Message)
	withdrawn     []string
}

func (c *client) SessionID() string { return c.session }

func (c *client) Notify(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notifications = append(c.notifications, string(line))
}

func (c *client) ForwardRequest(m *wire.Message, answer func(*wire.Message)) func(*wire.Message) {
	if c.unsupporting {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests, c.answer = append(c.requests, string(m.Line)), answer
	return func(note *wire.Message) { c.withdrawn = append(c.withdrawn, string(note.Line)) }
}

// takeNotifications returns what the client was notified of since the last call.
func (c *client) takeNotifications() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.notifications = nil }()
	return strings.Join(c.notifications, "\n")
}

// caller makes calls of a tool of one server.
type caller struct {
	t    *testing.T
	s    *session
	h    *harness
	done []<-chan outcome
}

func newCaller(t *testing.T) *caller {
	t.Helper()
	h := newHarness("a")
	return &caller{t: t, h: h, s: h.connect("a", named("t", `{}`))}
}

// open starts a call; client is nil for one over REST.
func (c *caller) open(client *client, request string) sessions.Replier {
	var from router.Client
	if client != nil {
		from = client
	}
	c.done = append(c.done, c.h.callAsync(c.t.Context(), router.Query{Name: "a.t"}, from, request))
	synctest.Wait()
	return c.s.call(c.t, len(c.done)-1).replier
}

// answerCall answers a call.
func (c *caller) answerCall(i int) {
	c.s.reply(c.t, i, result)
	<-c.done[i]
}

func (c *caller) answerAll() { c.answerFrom(0) }

// answerFrom answers the calls from the i-th on.
func (c *caller) answerFrom(i int) {
	for ; i < len(c.done); i++ {
		c.answerCall(i)
	}
}

// serverSends has the server send a message: in the stream of a call, if of is not nil.
func (c *caller) serverSends(line string, of sessions.Replier) {
	c.s.requests.HandleServerMessage(message(line), c.s, of)
}

const (
	elicitation = `{"jsonrpc":"2.0","id":"\u0065","method":"elicitation/create","params":{"n":1e400}}`
	noClient    = `{"jsonrpc":"2.0","id":"\u0065","error":{"code":-32603,"message":"no client can be asked: the call that this request belongs to is unknown"}}`
)

func withToken(token string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":` + token + `,"x":1.0},"name":"x"}}`
}

func TestProgressGoesToTheCallThatItIsOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t)
		one, two := &client{session: "1"}, &client{session: "2"}
		c.open(one, withToken(`"p"`))
		c.open(two, withToken(`"p"`))
		c.open(one, withToken(`12345678901234567890`))
		c.open(nil, withToken(`"p"`))
		for i, want := range []struct {
			client *client
			token  string
		}{{one, `"p"`}, {two, `"p"`}, {one, `12345678901234567890`}, {nil, ``}} {
			request := message(c.s.call(t, i).request)
			token := request.Param("_meta", "progressToken").Of(request.Line)
			if got := string(wire.Splice(request.Line, request.Param("_meta", "progressToken"), []byte(`"p"`))); got != withToken(`"p"`) {
				t.Errorf("more has changed: %s", got)
			}
			c.serverSends(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1e400,"progressToken":%s}}`, token), nil)
			if want.client != nil {
				if got := want.client.takeNotifications(); got != `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1e400,"progressToken":`+want.token+`}}` {
					t.Errorf("%d: %s", i, got)
				}
			}
			if got := one.takeNotifications() + two.takeNotifications(); got != "" {
				t.Errorf("%d: the other client received %s", i, got)
			}
		}
		request := message(c.s.call(t, 0).request)
		token := request.Param("_meta", "progressToken").Of(request.Line)
		c.answerCall(0)
		for _, token := range []string{string(token), `"nobody's"`, `7`, `{}`} {
			c.serverSends(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token+`}}`, nil)
		}
		c.serverSends(`{"jsonrpc":"2.0","method":"notifications/progress"}`, nil)
		if got := one.takeNotifications() + two.takeNotifications(); got != "" {
			t.Errorf("of a call that is over: %s", got)
		}
		c.answerFrom(1)
	})
}

func TestAServersRequestGoesToTheOnlyClientWithAnOpenCall(t *testing.T) {
	for name, test := range map[string]struct {
		calls  []*client // nil: over REST
		of     int       // the call in whose stream the request arrives; -1 if unknown
		client int       // the call whose client receives it; -1 for none, -2 for any
	}{
		"one call":                                  {[]*client{{session: "1"}}, -1, 0},
		"two calls of one session":                  {[]*client{{session: "1"}, {session: "1"}}, -1, -2},
		"calls of two sessions":                     {[]*client{{session: "1"}, {session: "2"}}, -1, -1},
		"calls of two sessions, but one is given":   {[]*client{{session: "1"}, {session: "2"}}, 1, 1},
		"a call over REST too":                      {[]*client{{session: "1"}, nil}, -1, -1},
		"a call over REST too, but another's given": {[]*client{{session: "1"}, nil}, 0, 0},
		"a call over REST is given":                 {[]*client{{session: "1"}, nil}, 1, -1},
		"a call over REST only":                     {[]*client{nil}, -1, -1},
		"no call":                                   {nil, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCaller(t)
				var repliers []sessions.Replier
				for _, client := range test.calls {
					repliers = append(repliers, c.open(client, request))
				}
				var of sessions.Replier
				if test.of >= 0 {
					of = repliers[test.of]
				}
				c.serverSends(elicitation, of)
				if test.client == -1 {
					if got := c.s.takeSent(); got != noClient {
						t.Errorf("%s", got)
					}
				}
				received := 0
				for i, client := range test.calls {
					if client != nil && len(client.requests) == 1 && (test.client == i || test.client == -2) {
						received++
					} else if client != nil && len(client.requests) != 0 {
						t.Errorf("call %d: %s", i, client.requests)
					}
				}
				if want := min(1, test.client+1); want != received && test.client != -2 || test.client == -2 && received != 1 {
					t.Errorf("%d are received", received)
				}
				c.answerAll()
			})
		})
	}
}

func TestTheClientsResponseGoesToTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, client := newCaller(t), &client{session: "1"}
		c.open(client, request)
		c.serverSends(elicitation, nil)
		if client.requests[0] != elicitation {
			t.Errorf("%s", client.requests)
		}
		client.answer(message(`{"jsonrpc":"2.0","result":{"n":1e400},"id":3}`))
		if got := c.s.takeSent(); got != `{"jsonrpc":"2.0","result":{"n":1e400},"id":"\u0065"}` {
			t.Error(got)
		}
		c.serverSends(elicitation, nil)
		client.answer(nil)
		if got := c.s.takeSent(); got != `{"jsonrpc":"2.0","id":"\u0065","error":{"code":-32603,"message":"the client has disconnected"}}` {
			t.Error(got)
		}
		client.unsupporting = true
		c.serverSends(elicitation, nil)
		if got := c.s.takeSent(); got != `{"jsonrpc":"2.0","id":"\u0065","error":{"code":-32601,"message":"the client does not support elicitation/create"}}` {
			t.Error(got)
		}
		c.answerAll()
	})
}

func TestAServerCancelsItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, client := newCaller(t), &client{session: "1"}
		c.open(client, request)
		note := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"e","reason":"\u0061"}}`
		c.serverSends(note, nil)
		c.serverSends(elicitation, nil)
		c.serverSends(strings.Replace(note, `"e"`, `"f"`, 1), nil)
		if len(client.withdrawn) != 0 {
			t.Errorf("%q", client.withdrawn)
		}
		c.serverSends(note, nil)
		c.serverSends(note, nil)
		if len(client.withdrawn) != 1 || client.withdrawn[0] != note {
			t.Errorf("%q", client.withdrawn)
		}
		c.serverSends(elicitation, nil)
		client.answer(message(`{"jsonrpc":"2.0","id":1,"result":{}}`))
		c.serverSends(note, nil)
		if len(client.withdrawn) != 1 {
			t.Error("what was answered is withdrawn")
		}
		c.answerAll()
	})
}

func TestNotificationsGoToTheClientThatTheyConcern(t *testing.T) {
	log := `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1e400}}`
	synctest.Test(t, func(t *testing.T) {
		c, one, two := newCaller(t), &client{session: "1"}, &client{session: "2"}
		c.serverSends(log, nil) // no call is open
		of := c.open(one, request)
		c.serverSends(log, nil)
		if got := one.takeNotifications(); got != log {
			t.Error(got)
		}
		for _, method := range []string{"prompts/list_changed", "resources/list_changed", "resources/updated"} {
			c.serverSends(`{"jsonrpc":"2.0","method":"notifications/`+method+`"}`, of)
		}
		c.open(two, request)
		c.serverSends(log, nil) // ambiguous
		if got := one.takeNotifications() + two.takeNotifications(); got != "" {
			t.Error(got)
		}
		c.serverSends(log, of)
		if got := one.takeNotifications() + two.takeNotifications(); got != log {
			t.Error(got)
		}
		c.answerCall(0)
		c.serverSends(log, nil)
		if got := two.takeNotifications(); got != log {
			t.Error(got)
		}
		c.answerCall(1)
	})
}
