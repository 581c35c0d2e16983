package remote_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-aggregator/modules/servers"
)

// hangsInCalls signals each message and answers no call before its client has disconnected.
func hangsInCalls(received chan<- exchange) func(exchange) {
	return func(x exchange) {
		if x.r.URL.Path != "/message" {
			x.w.(http.Flusher).Flush()
		}
		received <- x
		if x.r.URL.Path != "/message" && x.message.MethodIs("tools/call") {
			<-x.r.Context().Done()
		}
	}
}

func TestAServerThatExitsDuringACallLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			received := make(chan exchange, 10)
			b := (&backend{documents: by.documents, handle: hangsInCalls(received)}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			r := c.callTool("x")
			await(t, "the call", received)
			_ = b.Listener.Close() // first, so that no stream is opened again
			b.CloseClientConnections()
			if err := c.failure(r); err.Unsent {
				t.Errorf("it says that the call was not sent: %v", err)
			}
			c.awaitEnd() // the server's own stream has broken as well
		})
	}
}

func TestTheEndOfAnIdleServerIsNoticed(t *testing.T) {
	t.Parallel()
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			b := (&backend{documents: by.documents}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			b.events <- `{"jsonrpc":"2.0","method":"notifications/x"}`
			await(t, "the notification", c.messages) // the stream is open
			_ = b.Listener.Close()
			b.CloseClientConnections()
			if why := c.awaitEnd(); !strings.Contains(why, "cannot be reached") && !strings.Contains(why, "ended the event stream") {
				t.Errorf("it ended because %s", why)
			}
			if err := c.failure(c.callTool("x")); !err.Unsent {
				t.Errorf("a call after the end may have been sent: %v", err)
			}
		})
	}
}

func TestTheEndOfAServerWithoutAStreamIsNoticedByTheNextCall(t *testing.T) {
	b := (&backend{intercept: noStream}).start(t)
	c := connect(t, servers.HTTP, b.url(servers.HTTP))
	_ = b.Listener.Close()
	b.CloseClientConnections()
	err := c.failure(c.callTool("x"))
	if !err.Unsent { // it was sent on a connection whose end had not been noticed
		err = c.failure(c.callTool("x"))
	}
	if !err.Unsent || !strings.Contains(err.Message, "cannot be reached") {
		t.Errorf("the call failed: %v, unsent: %v", err, err.Unsent)
	}
	c.awaitEnd()
}

// noStream refuses the server's own stream.
func noStream(w http.ResponseWriter, r *http.Request, _ string) bool {
	if r.Method == http.MethodGet {
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
	return r.Method == http.MethodGet
}

func TestStatusesOfCalls(t *testing.T) {
	tests := map[string]struct {
		status       int
		body         string
		unsent, ends bool
		message      string
		sse          bool // with SSE as well
	}{
		"the session is unknown":            {404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`, true, true, "the server has lost the session", true},
		"a bad request for want of it":      {400, `Bad Request: No valid session ID provided`, true, true, "the server has lost the session", false},
		"a bad request of another kind":     {400, `nonsense`, true, false, "the server answers with status 400 Bad Request: nonsense", true},
		"not let in":                        {401, ``, true, false, "the server answers with status 401 Unauthorized: look at the headers of its registration", true},
		"not allowed":                       {403, `<html>`, true, false, "the server answers with status 403 Forbidden: look at the headers of its registration", true},
		"too much":                          {429, ``, true, false, "the server answers with status 429 Too Many Requests", true},
		"a gateway that lost its server":    {502, ``, false, false, "the server answers with status 502 Bad Gateway", true},
		"an error of the server's":          {500, ``, false, false, "the server answers with status 500 Internal Server Error", true},
		"no answer where there must be one": {202, ``, false, false, "the server answers with status 202 Accepted and no answer", false},
	}
	for name, test := range tests {
		for way, by := range transports {
			if by.transport == servers.SSE && !test.sse || by.documents {
				continue
			}
			t.Run(name+", "+way, func(t *testing.T) {
				b := (&backend{intercept: func(w http.ResponseWriter, _ *http.Request, body string) bool {
					refuses := strings.Contains(body, `"refused"`)
					if refuses {
						w.Header().Set("Content-Type", map[bool]string{true: "application/json", false: "text/plain"}[strings.HasPrefix(test.body, "{")])
						if strings.HasPrefix(test.body, "<") {
							w.Header().Set("Content-Type", "text/html")
						}
						w.WriteHeader(test.status)
						fmt.Fprint(w, test.body)
					}
					return refuses
				}, handle: func(x exchange) { x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id) }}).start(t)
				c := connect(t, by.transport, b.url(by.transport))
				err := c.failure(c.callTool("refused"))
				if err.Unsent != test.unsent || err.Message != test.message {
					t.Errorf("it failed with %q, unsent: %v", err.Message, err.Unsent)
				}
				if test.ends {
					c.awaitEnd()
				} else {
					c.result(c.callTool("x"))
				}
			})
		}
	}
}

func TestAJSONRPCErrorWithAnErrorStatusIsTheResponse(t *testing.T) {
	b := (&backend{intercept: func(w http.ResponseWriter, r *http.Request, body string) bool {
		refuses := strings.Contains(body, `"refused"`)
		if refuses {
			id := string(request(t, body).ID.Of([]byte(body)))
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"m","data":1e400}}`, id)
		}
		return refuses
	}}).start(t)
	c := connect(t, servers.HTTP, b.url(servers.HTTP))
	if got := c.result(c.callTool("refused")); !strings.Contains(got, `"data":1e400`) {
		t.Errorf("the answer is %s", got)
	}
}

func TestAStreamThatIsCutWithinAnEventLeavesTheOutcomeUnknown(t *testing.T) {
	b := (&backend{handle: func(x exchange) {
		fmt.Fprintf(x.w, `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[`, x.id)
		x.w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}}).start(t)
	c := connect(t, servers.HTTP, b.url(servers.HTTP))
	if err := c.failure(c.callTool("x")); err.Unsent {
		t.Errorf("it says that the call was not sent: %v", err)
	}
	b.handle = func(x exchange) { x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id) }
	c.result(c.callTool("x"))
}

func TestAStreamThatBreaksIsResumedAndTheCallNotSentAgain(t *testing.T) {
	var id string
	b := &backend{handle: func(x exchange) {
		id = x.id
		fmt.Fprint(x.w, "id: a1\nretry: 10\ndata: \n\n")
	}}
	b.intercept = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Header.Get("Last-Event-Id") != "a1" {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		writeEvent(w, `{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{}}`)
		writeEvent(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"late":1.0}}`, id))
		return true
	}
	b.start(t)
	c := connect(t, servers.HTTP, b.url(servers.HTTP))
	r := c.callTool("x")
	if got := c.result(r); !strings.Contains(got, `{"late":1.0}`) {
		t.Errorf("the answer is %s", got)
	}
	if p := await(t, "the question", c.messages); p.of != any(r) {
		t.Error("the call of the request is unknown")
	}
	if n := len(b.received("tools/call")); n != 1 {
		t.Errorf("the call was sent %d times", n)
	}
}

func TestAStreamThatCannotBeResumedFailsItsCallAlone(t *testing.T) {
	for name, again := range map[string]func(w http.ResponseWriter){
		"it is refused":           func(w http.ResponseWriter) { w.WriteHeader(http.StatusMethodNotAllowed) },
		"it ends at once, always": func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") },
	} {
		t.Run(name, func(t *testing.T) {
			b := &backend{handle: func(x exchange) {
				if strings.Contains(x.line, `"breaks"`) {
					fmt.Fprint(x.w, "id: a1\nretry: 10\ndata: \n\n")
					return
				}
				x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id)
			}}
			b.intercept = func(w http.ResponseWriter, r *http.Request, _ string) bool {
				resumes := r.Header.Get("Last-Event-Id") != ""
				if resumes {
					again(w)
				}
				return resumes
			}
			b.start(t)
			c := connect(t, servers.HTTP, b.url(servers.HTTP))
			if err := c.failure(c.callTool("breaks")); err.Unsent {
				t.Errorf("it says that the call was not sent: %v", err)
			}
			c.result(c.callTool("x"))
		})
	}
}

// The server forgets the session during a call; two more calls follow.
func TestAForgottenSessionKeepsItsPendingCalls(t *testing.T) {
	for way, by := range transports {
		if by.transport == servers.SSE {
			continue // its responses come in the stream that ends
		}
		t.Run(way, func(t *testing.T) {
			taken, answer := make(chan struct{}), make(chan struct{})
			var forgotten atomic.Bool
			b := (&backend{
				documents: by.documents,
				intercept: func(w http.ResponseWriter, r *http.Request, body string) bool {
					forgets := forgotten.Load() && r.Method == http.MethodPost && strings.Contains(body, "tools/call")
					if forgets {
						w.WriteHeader(http.StatusNotFound)
					}
					return forgets
				},
				handle: func(x exchange) {
					close(taken)
					<-answer
					x.send(`{"jsonrpc":"2.0","id":%s,"result":{"late":true}}`, x.id)
				},
			}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			slow := c.callTool("x")
			<-taken
			forgotten.Store(true)
			one, other := c.callTool("x"), c.callTool("x")
			for _, refused := range []replier{one, other} {
				if err := c.failure(refused); !err.Unsent {
					t.Errorf("%v, unsent: %v", err, err.Unsent)
				}
			}
			c.awaitEnd()
			close(answer)
			if got := c.result(slow); !strings.Contains(got, `"late":true`) {
				t.Error(got)
			}
		})
	}
}
