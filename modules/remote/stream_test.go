package remote_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-aggregator/modules/remote"
	"mcp-aggregator/modules/servers"
)

const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

func TestAListThatChangesDuringAReadingIsReadOnceMore(t *testing.T) {
	var readings, concurrent atomic.Int32
	reading, goOn := make(chan int32, 100), make(chan struct{}, 100)
	b := (&backend{list: func(string) string {
		if concurrent.Add(1) > 1 {
			t.Error("two readings at once")
		}
		n := readings.Add(1)
		reading <- n
		<-goOn
		concurrent.Add(-1)
		return fmt.Sprintf(`{"tools":[%d]}`, n)
	}}).start(t)
	goOn <- struct{}{}
	c := connect(t, servers.HTTP, b.url(servers.HTTP))
	await(t, "the first reading", reading)
	await(t, "the tools", c.tools)
	for range 5 {
		b.events <- changed
	}
	await(t, "the second reading", reading)
	for range 5 {
		b.events <- changed
	}
	b.events <- `{"jsonrpc":"2.0","method":"notifications/x"}`
	await(t, "what was said last", c.messages)
	goOn <- struct{}{}
	goOn <- struct{}{}
	goOn <- struct{}{}
	for range 2 {
		await(t, "the tools", c.tools)
	}
	time.Sleep(50 * time.Millisecond) // a superfluous reading would begin now
	if n := readings.Load(); n > 4 {  // the first changes may have arrived one by one
		t.Errorf("the list was read %d times", n)
	}
}

func TestAChangedListThatCannotBeReadIsReported(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ answer, want string }{
		"an error":  {`"error":{"code":-1,"message":"hunter2 fell"}`, `tools/list: the server answered with the error {"code":-1,"message":"[redacted] fell"}`},
		"no answer": {"", "context deadline exceeded"},
	} {
		for way, by := range transports {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				var listed atomic.Int32
				b := &backend{documents: by.documents}
				b.intercept = func(w http.ResponseWriter, r *http.Request, body string) bool {
					odd := strings.Contains(body, "tools/list") && listed.Add(1) > 1
					if odd && test.answer != "" && r.URL.Path == "/message" {
						b.events <- `{"jsonrpc":"2.0","id":` + string(request(t, body).ID.Of([]byte(body))) + `,` + test.answer + `}`
					} else if odd && test.answer != "" {
						w.Header().Set("Content-Type", "application/json")
						fmt.Fprint(w, `{"jsonrpc":"2.0","id":`+string(request(t, body).ID.Of([]byte(body)))+`,`+test.answer+`}`)
					} else if odd {
						<-r.Context().Done()
					}
					return odd
				}
				b.start(t)
				c, err := dial(t, by.transport, b.url(by.transport), dialSettings{secrets: []string{"hunter2"}, options: remote.Options{ListAfter: 300 * time.Millisecond}})
				if err != nil {
					t.Fatal(err)
				}
				b.events <- changed
				if why := await(t, "the lack", c.listErrors); !strings.Contains(why, test.want) {
					t.Errorf("it lacks them because %s", why)
				}
				if len(c.tools) != 1 {
					t.Errorf("%d lists came", len(c.tools))
				}
			})
		}
	}
}

func TestAStreamOfTheServersOwnIsOpenedAgain(t *testing.T) {
	t.Parallel()
	b := (&backend{handle: func(x exchange) { x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id) }}).start(t)
	c := connect(t, servers.HTTP, b.url(servers.HTTP))
	await(t, "the tools", c.tools)
	b.events <- "" // the end of the stream
	await(t, "the tools, since a change may have been missed", c.tools)
	b.events <- `{"jsonrpc":"2.0","method":"notifications/x"}`
	await(t, "what is said in the next stream", c.messages)
	c.result(c.callTool("x"))
}

func TestALostSessionIsNoticedInTheServersOwnStream(t *testing.T) {
	t.Parallel()
	var lost atomic.Bool
	b := (&backend{intercept: func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		if lost.Load() {
			w.WriteHeader(http.StatusNotFound)
		}
		return lost.Load()
	}}).start(t)
	c := connect(t, servers.HTTP, b.url(servers.HTTP))
	b.events <- `{"jsonrpc":"2.0","method":"notifications/x"}`
	await(t, "the notification", c.messages)
	lost.Store(true)
	b.events <- ""
	if why := c.awaitEnd(); why != "the server has lost the session" {
		t.Errorf("it ended because %s", why)
	}
}

func TestMessagesDuringARequestOfOursBelongToNoCall(t *testing.T) {
	b := &backend{}
	b.intercept = func(w http.ResponseWriter, _ *http.Request, body string) bool {
		lists := strings.Contains(body, "tools/list")
		if lists {
			w.Header().Set("Content-Type", "text/event-stream")
			writeEvent(w, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
			writeEvent(w, `{"jsonrpc":"2.0","id":`+string(request(t, body).ID.Of([]byte(body)))+`,"result":{"tools":[]}}`)
		}
		return lists
	}
	b.start(t)
	c := connect(t, servers.HTTP, b.url(servers.HTTP))
	if p := await(t, "the request", c.messages); p.of != nil {
		t.Errorf("it belongs to %v", p.of)
	}
}
