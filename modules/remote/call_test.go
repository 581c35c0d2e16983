package remote_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-aggregator/modules/remote"
	"mcp-aggregator/modules/servers"
)

func TestTheClientsCancellationReachesTheServer(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			received := make(chan exchange, 10)
			b := (&backend{documents: by.documents, handle: hangsInCalls(received)}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			other, r := c.callTool("x"), newReplier()
			await(t, "the other call", received)
			c.Call(request(t, `{"jsonrpc":"2.0","id":"theirs","method":"tools/call","params":{"name":"x"}}`), []byte(`"y"`), r)
			id := await(t, "the call", received).id
			c.Cancel(request(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"theirs","reason":"no \u0041","x":1.0}}`), r)
			want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"no \u0041","x":1.0}}`
			if got := await(t, "the cancellation", received).line; got != want {
				t.Errorf("the server saw %s, want %s", got, want)
			}
			_ = c.failure(r)
			c.Cancel(request(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"theirs"}}`), r)
			c.Close()
			_ = c.failure(other)
			if len(r)+len(other) > 0 || len(b.received("notifications/cancelled")) != 1 {
				t.Errorf("more was said: %d, %s", len(r)+len(other), b.received("notifications/cancelled"))
			}
		})
	}
}

func TestCloseFailsPendingCallsAndDeletesTheSession(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			received := make(chan exchange, 10)
			b := (&backend{documents: by.documents, handle: hangsInCalls(received)}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			r := c.callTool("x")
			await(t, "the call", received)
			c.Close()
			c.Close()
			if err := c.failure(r); err.Unsent {
				t.Errorf("it says that the call was not sent: %v", err)
			}
			await(t, "the end", c.Done())
			if c.Err() != nil {
				t.Errorf("it ended by itself: %v", c.Err())
			}
			if n := len(b.requests(http.MethodDelete)); by.transport == servers.HTTP && n != 1 {
				t.Errorf("the session was deleted %d times", n)
			}
		})
	}
}

func TestCloseIsBounded(t *testing.T) {
	b := (&backend{intercept: func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodDelete {
			<-r.Context().Done()
		}
		return false
	}}).start(t)
	c, err := dial(t, servers.HTTP, b.url(servers.HTTP), dialSettings{options: remote.Options{CloseAfter: 50 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	c.Close()
	if took := time.Since(begin); took > testTimeout/8 {
		t.Errorf("it took %v", took)
	}
}

func TestManyCallsAtOnceGetTheirOwnAnswers(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			b := (&backend{documents: by.documents, handle: func(x exchange) {
				x.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, x.id, x.message.Name.Of(x.message.Line))
			}}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			var all sync.WaitGroup
			for i := range 200 {
				tool := fmt.Sprint("tool ", i)
				all.Go(func() {
					if o := <-c.callTool(tool); !strings.Contains(o.line, `"result":"`+tool+`"`) {
						t.Errorf("%s was answered with %s, %v", tool, o.line, o.err)
					}
				})
			}
			all.Wait()
		})
	}
}

func TestTheMessagesOfOneStreamKeepTheirOrder(t *testing.T) {
	for _, transport := range []servers.Transport{servers.SSE, servers.HTTP} {
		t.Run(string(transport), func(t *testing.T) {
			const many = 500
			b := (&backend{handle: func(x exchange) {
				for i := range many {
					x.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":%d}}`, i)
				}
				x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id)
			}}).start(t)
			c := connect(t, transport, b.url(transport))
			c.result(c.callTool("x"))
			if len(c.messages) != many { // all were passed before the response was
				t.Fatalf("%d notifications came before the answer", len(c.messages))
			}
			for i := range many {
				want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":%d}}`, i)
				if p := <-c.messages; p.line != want {
					t.Fatalf("%s came, want %s", p.line, want)
				}
			}
		})
	}
}

func TestMessagesOutsideOfCallsArePassedByteForByte(t *testing.T) {
	messages := []string{
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1e400,"x":[]},"y":1}`,
		`{"jsonrpc":"2.0","id":1.50,"method":"roots/list"}`,
		`{"jsonrpc":"2.0","id":"\u0041","method":"sampling/createMessage","params":{"future":9007199254740993}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"vendor/unknown","params":[1]}`,
	}
	for _, transport := range []servers.Transport{servers.SSE, servers.HTTP} {
		t.Run(string(transport), func(t *testing.T) {
			answers := make(chan exchange, 10)
			b := (&backend{handle: func(x exchange) { answers <- x }}).start(t)
			c := connect(t, transport, b.url(transport))
			for _, m := range messages {
				b.events <- m
				p := await(t, "the message", c.messages)
				if p.line != m || p.of != nil {
					t.Errorf("%s came as %s", m, p.line)
				}
				if p.id == "" {
					continue
				}
				answer := `{"jsonrpc":"2.0","id":` + p.id + `,"error":{"code":-1,"message":"<no>","data":1e400,"x":1}}`
				p.from.Send([]byte(answer[:10]), []byte(answer[10:]))
				if x := await(t, "the answer", answers); x.line != answer {
					t.Errorf("the server got %s, want %s", x.line, answer)
				}
			}
		})
	}
}

func TestPingsAreAnsweredAndMalformedMessagesAreIgnored(t *testing.T) {
	noise := []string{
		"no JSON", `{"jsonrpc":"2.0"}`, `{"id":1,"method":"ping"}`, `[]`, `{"jsonrpc":"2.0","id":5,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","error":{}}`, `{"jsonrpc":"2.0","method":"a","method":"b"}`, strings.Repeat("[", 5000), "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}",
	}
	for _, transport := range []servers.Transport{servers.SSE, servers.HTTP} {
		t.Run(string(transport), func(t *testing.T) {
			answers := make(chan exchange, 10)
			b := (&backend{handle: func(x exchange) { answers <- x }}).start(t)
			log := new(logBuffer)
			c, err := dial(t, transport, b.url(transport), dialSettings{log: logTo(log)})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range append(noise, "1\nevent: other\ndata: 2") {
				b.events <- text
			}
			b.events <- `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`
			if x := await(t, "the answer", answers); x.line != `{"jsonrpc":"2.0","id":9007199254740993,"result":{}}` {
				t.Errorf("the ping was answered with %s", x.line)
			}
			b.handle = func(x exchange) { x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id) }
			c.result(c.callTool("x"))
			if len(c.messages) > 0 {
				t.Errorf("%s was passed", (<-c.messages).line)
			}
			if n := strings.Count(log.String(), "ignored"); n == 0 || n > 5 {
				t.Errorf("%d warnings:\n%s", n, log)
			}
		})
	}
}

func TestAMalformedResponseFailsItsCall(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":            `{"jsonrpc":"2.0","id":ID,"result":{}`,
		"not UTF-8":          "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"\xff\"}",
		"no JSON-RPC":        `{"id":ID,"result":{}}`,
		"result and error":   `{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"m"}}`,
		"another's":          `{"jsonrpc":"2.0","id":1,"result":{}}`,
		"nothing":            ``,
		"a notification":     `{"jsonrpc":"2.0","method":"notifications/x"}`,
		"a batch of another": `[{"jsonrpc":"2.0","id":1,"result":{}}]`,
	} {
		for _, documents := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", documents: ", documents), func(t *testing.T) {
				b := (&backend{documents: documents, handle: func(x exchange) {
					if strings.Contains(x.line, `"odd"`) {
						x.send("%s", strings.Replace(text, "ID", x.id, 1))
						return
					}
					x.send(`[{"jsonrpc":"2.0","id":%s.0,"result":{}}]`, x.id)
				}}).start(t)
				c := connect(t, servers.HTTP, b.url(servers.HTTP))
				if err := c.failure(c.callTool("odd")); err.Unsent {
					t.Errorf("it says that the call was not sent: %v", err)
				}
				c.result(c.callTool("x"))
			})
		}
	}
}

// Successive calls need one connection, whatever the server responds with. The server's own
// stream needs one more and, occasionally, so do messages that are sent meanwhile.
func TestConnectionsAreReused(t *testing.T) {
	for name, refusal := range map[string]int{"answers": 0, "refusals": http.StatusUnauthorized, "a text": http.StatusAccepted} {
		for way, by := range transports {
			t.Run(name+", "+way, func(t *testing.T) {
				b := (&backend{documents: by.documents, handle: respondsToAll, intercept: func(w http.ResponseWriter, _ *http.Request, body string) bool {
					refuses := refusal != 0 && strings.Contains(body, "tools/call")
					if refuses {
						w.WriteHeader(refusal)
						fmt.Fprint(w, strings.Repeat("no ", 5000))
					}
					return refuses
				}}).start(t)
				c := connect(t, by.transport, b.url(by.transport))
				for range 50 {
					r := c.callTool("x")
					if refusal == http.StatusAccepted && by.transport == servers.SSE {
						b.events <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, remote.PendingIDs(c.Session)[0])
					}
					await(t, "the outcome", r)
				}
				addresses := make(map[string]bool)
				for _, request := range b.requests(http.MethodPost) {
					addresses[request.RemoteAddr] = true
				}
				if len(addresses) > 10 {
					t.Errorf("%d connections were made", len(addresses))
				}
			})
		}
	}
}
