package remote_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"mcp-aggregator/modules/remote"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// respondsToAll answers every request.
func respondsToAll(x exchange) {
	if x.message.Kind == wire.Request {
		x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id)
	}
}

func TestACallThatIsAcceptedWhileItsSessionEndsIsAnswered(t *testing.T) {
	for how, end := range remote.Ends {
		for way, by := range transports {
			t.Run(how+", "+way, func(t *testing.T) {
				b := (&backend{documents: by.documents, handle: respondsToAll}).start(t)
				c := connect(t, by.transport, b.url(by.transport))
				r := newReplier()
				remote.CallDuring(c.Session, `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"x"}}`, r, func() { end(c.Session) })
				if o := await(t, "the outcome", r); o.err != nil && !o.err.Unsent {
					t.Errorf("it is said to have been sent: %v", o.err)
				}
				c.Close()
				if len(r) > 0 {
					t.Errorf("it was answered twice: %v", <-r)
				}
			})
		}
	}
}

func TestEachCallIsAnsweredOnceWheneverItsSessionEnds(t *testing.T) {
	for how, end := range remote.Ends {
		for way, by := range transports {
			t.Run(how+", "+way, func(t *testing.T) {
				b := (&backend{documents: by.documents, handle: respondsToAll}).start(t)
				for round := range 5 {
					c := connect(t, by.transport, b.url(by.transport))
					var calls sync.WaitGroup
					for range 20 {
						calls.Go(func() {
							for range 20 {
								r := c.callTool("x")
								select {
								case <-r:
								case <-time.After(testTimeout):
									t.Error("a call was not answered")
									return
								}
								if len(r) > 0 {
									t.Error("a call was answered twice")
								}
							}
						})
					}
					time.Sleep(time.Duration(round) * time.Millisecond)
					end(c.Session)
					calls.Wait()
					c.Close()
					b.awaitStreamsEnd(t)
				}
			})
		}
	}
}

// A server may send requests as soon as the event stream is open.
func TestRequestsOfAServerBeforeInitializeDoNoHarm(t *testing.T) {
	b := &backend{handle: respondsToAll}
	b.intercept = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: endpoint\ndata: /message?id=1\n\n")
			for id := range 100 {
				fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n\n", id)
			}
			w.(http.Flusher).Flush()
			b.relay(w, r)
		}
		return r.Method == http.MethodGet
	}
	b.start(t)
	for range 10 {
		c := connect(t, servers.SSE, b.url(servers.SSE))
		c.result(c.callTool("x"))
		c.Close()
		b.awaitStreamsEnd(t)
	}
}
