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

// client is the client session of a call.
type client struct {
	session      string
	unsupporting bool // it cannot be asked anything

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

// takeNotifications is what the client was told since the last time.
func (c *client) takeNotifications() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.notifications = nil }()
	return strings.Join(c.notifications, "\n")
}

// caller opens calls of a tool of one server.
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

// open opens a call; c is nil for one over REST.
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

// answerFrom ends the calls from the i-th on.
func (c *caller) answerFrom(i int) {
	for ; i < len(c.done); i++ {
		c.answerCall(i)
	}
}

// serverSends has the server say something, in the stream of a call if of is given.
func (c *caller) serverSends(line string, of sessions.Replier) {
	c.s.requests.HandleServerMessage(message(line), c.s, of)
}

const (
	elicitation = `{"jsonrpc":"2.0","id":"\u0065","method":"elicitation/create","params":{"n":1e400}}`
	nobody      = `{"jsonrpc":"2.0","id":"\u0065","error":{"code":-32603,"message":"no client can be asked: the call that this request belongs to is unknown"}}`
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
			who   *client
			token string
		}{{one, `"p"`}, {two, `"p"`}, {one, `12345678901234567890`}, {nil, ``}} {
			request := message(c.s.call(t, i).request)
			token := request.Param("_meta", "progressToken").Of(request.Line)
			if got := string(wire.Splice(request.Line, request.Param("_meta", "progressToken"), []byte(`"p"`))); got != withToken(`"p"`) {
				t.Errorf("more has changed: %s", got)
			}
			c.serverSends(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1e400,"progressToken":%s}}`, token), nil)
			if want.who != nil {
				if got := want.who.takeNotifications(); got != `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1e400,"progressToken":`+want.token+`}}` {
					t.Errorf("%d: %s", i, got)
				}
			}
			if got := one.takeNotifications() + two.takeNotifications(); got != "" {
				t.Errorf("%d: another one heard %s", i, got)
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

func TestAServerAsksTheOnlyClientWithAnOpenCall(t *testing.T) {
	for name, test := range map[string]struct {
		calls []*client // nil: over REST
		of    int       // the call in whose stream it comes; -1 if that is not known
		who   int       // the call whose client is asked; -1: none
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
				if test.who == -1 {
					if got := c.s.takeSent(); got != nobody {
						t.Errorf("%s", got)
					}
				}
				asked := 0
				for i, client := range test.calls {
					if client != nil && len(client.requests) == 1 && (test.who == i || test.who == -2) {
						asked++
					} else if client != nil && len(client.requests) != 0 {
						t.Errorf("call %d: %s", i, client.requests)
					}
				}
				if want := min(1, test.who+1); want != asked && test.who != -2 || test.who == -2 && asked != 1 {
					t.Errorf("%d are asked", asked)
				}
				c.answerAll()
			})
		})
	}
}

func TestTheAnswerOfAClientGoesToTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, who := newCaller(t), &client{session: "1"}
		c.open(who, request)
		c.serverSends(elicitation, nil)
		if who.requests[0] != elicitation {
			t.Errorf("%s", who.requests)
		}
		who.answer(message(`{"jsonrpc":"2.0","result":{"n":1e400},"id":3}`))
		if got := c.s.takeSent(); got != `{"jsonrpc":"2.0","result":{"n":1e400},"id":"\u0065"}` {
			t.Error(got)
		}
		c.serverSends(elicitation, nil)
		who.answer(nil)
		if got := c.s.takeSent(); got != `{"jsonrpc":"2.0","id":"\u0065","error":{"code":-32603,"message":"the client has disconnected"}}` {
			t.Error(got)
		}
		who.unsupporting = true
		c.serverSends(elicitation, nil)
		if got := c.s.takeSent(); got != `{"jsonrpc":"2.0","id":"\u0065","error":{"code":-32601,"message":"the client does not support elicitation/create"}}` {
			t.Error(got)
		}
		c.answerAll()
	})
}

func TestAServerWithdrawsWhatItAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, who := newCaller(t), &client{session: "1"}
		c.open(who, request)
		note := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"e","reason":"\u0061"}}`
		c.serverSends(note, nil)
		c.serverSends(elicitation, nil)
		c.serverSends(strings.Replace(note, `"e"`, `"f"`, 1), nil)
		if len(who.withdrawn) != 0 {
			t.Errorf("%q", who.withdrawn)
		}
		c.serverSends(note, nil)
		c.serverSends(note, nil)
		if len(who.withdrawn) != 1 || who.withdrawn[0] != note {
			t.Errorf("%q", who.withdrawn)
		}
		c.serverSends(elicitation, nil)
		who.answer(message(`{"jsonrpc":"2.0","id":1,"result":{}}`))
		c.serverSends(note, nil)
		if len(who.withdrawn) != 1 {
			t.Error("what was answered is withdrawn")
		}
		c.answerAll()
	})
}

func TestNotificationsGoToTheClientThatTheyConcern(t *testing.T) {
	log := `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1e400}}`
	synctest.Test(t, func(t *testing.T) {
		c, one, two := newCaller(t), &client{session: "1"}, &client{session: "2"}
		c.serverSends(log, nil) // nobody's
		of := c.open(one, request)
		c.serverSends(log, nil)
		if got := one.takeNotifications(); got != log {
			t.Error(got)
		}
		for _, method := range []string{"prompts/list_changed", "resources/list_changed", "resources/updated"} {
			c.serverSends(`{"jsonrpc":"2.0","method":"notifications/`+method+`"}`, of)
		}
		c.open(two, request)
		c.serverSends(log, nil) // it is not known whose
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
