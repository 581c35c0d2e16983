package service_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-aggregator/app/service"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// requireToken makes a service require a token.
func requireToken(o *service.Options) { o.Token = "t0k3n" }

// requestHeads are requests without their bodies, which have that many bytes by Content-Length.
func requestHeads(session string, announced int) map[string]string {
	const common = "Host: 127.0.0.1\nContent-Type: application/json\nAccept: application/json, text/event-stream\n"
	length := fmt.Sprintf("Content-Length: %d\n\n", announced)
	return map[string]string{
		"REST": "POST /api/v1/tools/call HTTP/1.1\n" + common + length,
		"MCP":  "POST /mcp HTTP/1.1\n" + common + "Mcp-Session-Id: " + session + "\n" + length,
	}
}

func TestBodiesGetMemoryAsTheyArrive(t *testing.T) {
	s := start(t, testutil.Spawner{})
	const clients, announced, most = 16, 250 << 20, 64 << 20
	before := inUse()
	for range clients {
		s.dial().say(t, requestHeads(s.connect("test", "{}").session, announced)["MCP"]+strings.Repeat(" ", 170))
	}
	for range 50 { // they may be read a little later
		if now := inUse(); now > before+most {
			t.Fatalf("%d clients that sent next to nothing have it hold %d MiB", clients, (now-before)>>20)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// inUse returns the bytes of the heap in use.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestWhoHasNoTokenIsAnsweredBeforeTheBody(t *testing.T) {
	s := start(t, testutil.Spawner{}, requireToken)
	for door, head := range requestHeads("x", 1000) {
		t.Run(door, func(t *testing.T) {
			client := s.dial()
			client.say(t, head)
			if response := client.answer(t); response.status != http.StatusUnauthorized || !response.closes {
				t.Errorf("the answer is %+v", response)
			}
			client.ended(t)
		})
	}
}

func TestABodyThatIsTooLargeIsRefusedWhileItIsSent(t *testing.T) {
	s := start(t, testutil.Spawner{})
	all := requestHeads(s.connect("test", "{}").session, 300<<20)
	all["REST, in chunks"] = "POST /api/v1/aggregator/servers HTTP/1.1\nHost: 127.0.0.1\nContent-Type: application/json\nTransfer-Encoding: chunked\n\n"
	for door, head := range all {
		t.Run(door, func(t *testing.T) {
			client := s.dial()
			client.say(t, head)
			for range 5 { // then it waits for the answer, and goes on
				if err := client.chunk(); err != nil {
					t.Fatal(err)
				}
			}
			if response := client.answer(t); response.status != http.StatusRequestEntityTooLarge || !response.closes {
				t.Errorf("the answer is %+v", response)
			}
			stop, sent := make(chan struct{}), make(chan error, 1)
			go func() { sent <- client.sendSlowly(stop) }()
			client.ended(t)
			close(stop)
			if err := <-sent; err != nil {
				t.Errorf("who is still sending cannot: %v", err)
			}
		})
	}
}

// sendSlowly sends chunks of a body until stop is closed.
func (p *peer) sendSlowly(stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case <-time.After(time.Millisecond):
		}
		if err := p.chunk(); err != nil {
			return err
		}
	}
}

// chunk sends a quarter of a MiB.
func (p *peer) chunk() error {
	part := strings.Repeat(" ", 1<<18)
	_, err := fmt.Fprintf(p, "%x\r\n%s\r\n", len(part), part)
	return err
}

// hangs is a child whose tool does not answer before release is closed.
func hangs(called chan<- struct{}, release <-chan struct{}) testutil.Program {
	return testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(_, id string, out io.Writer) child.Exit {
		called <- struct{}{}
		go func() {
			<-release
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
		}()
		return ""
	}}.Run
}

// Two bodies of 2 MiB fill the budget until they are answered. Small ones do not need it.
func TestBodiesAreBoundedTogether(t *testing.T) {
	l := limits()
	l.Bodies, l.Room = 4<<20, 10*time.Millisecond
	called, release := make(chan struct{}, 10), make(chan struct{})
	s := start(t, testutil.Spawner{"a": hangs(called, release)}, service.Limited(l))
	s.await(s.register("a", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	session := s.connect("test", "{}").session
	large := strings.Repeat("x", 2<<20)
	ask := func(door, id, argument string) *peer {
		params := fmt.Sprintf(`{"name":"a.x","arguments":{"a":%q}}`, argument)
		if door == "MCP" {
			params = `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":` + params + `}`
		}
		client := s.dial()
		client.say(t, requestHeads(session, len(params))[door]+params)
		return client
	}
	held := []*peer{ask("MCP", "1", large), ask("REST", "2", large), ask("MCP", "3", "small"), ask("REST", "4", "small")}
	for range held {
		<-called
	}
	for _, door := range []string{"MCP", "REST"} {
		response := ask(door, "5", large).answer(t)
		if response.status != http.StatusServiceUnavailable || response.header.Get("Retry-After") == "" {
			t.Errorf("%s: one too many is answered with %+v", door, response)
		}
	}
	close(release)
	for _, client := range append(held, ask("MCP", "6", "small")) {
		if response := client.answer(t); response.status != http.StatusOK || !strings.Contains(response.text, `"content":[]`) {
			t.Errorf("it is answered with %+v", response)
		}
	}
	if response := ask("REST", "7", large).answer(t); response.status != http.StatusOK {
		t.Errorf("once there is room, it is answered with %+v", response)
	}
}

// Each holds a part of the budget and waits for more, which the oldest gets.
func TestBodiesThatFillTheBudgetBetweenThemAreAllAnswered(t *testing.T) {
	l := limits()
	l.Bodies, l.Room = 4<<20, time.Minute
	s := start(t, testutil.Spawner{}, service.Limited(l))
	const clients, size = 4, 6 << 20
	begun := make([]*peer, clients)
	for i := range begun {
		begun[i] = s.dial()
		begun[i].say(t, requestHeads("x", size)["REST"]+strings.Repeat(" ", 1<<20))
	}
	var rest sync.WaitGroup
	for _, client := range begun {
		rest.Go(func() { client.say(t, strings.Repeat(" ", size-1<<20)) })
	}
	for _, client := range begun {
		if response := client.answer(t); response.status != http.StatusBadRequest {
			t.Errorf("it is answered with %+v", response)
		}
	}
	rest.Wait()
}

// Clients that do not read a long list share its bytes, and not forever.
func TestClientsThatDoNotReadALongListShareIt(t *testing.T) {
	const tools, clients, most = 12, 30, 128 << 20
	var list []string
	for i := range tools {
		list = append(list, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","description":%q}}`, i, strings.Repeat("x", 1<<20)))
	}
	s := start(t, testutil.Spawner{"a": testutil.Raw{Tools: "[" + strings.Join(list, ",") + "]"}.Run})
	s.await(s.register("a", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	const listTools = `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`
	session := s.connect("test", "{}").session
	for door, ask := range map[string]func(n int) string{
		"REST": func(int) string { return "GET /api/v1/tools HTTP/1.1\nHost: 127.0.0.1\n\n" },
		"MCP": func(n int) string {
			body := fmt.Sprintf(listTools, 10+n)
			return requestHeads(session, len(body))["MCP"] + body
		},
	} {
		t.Run(door, func(t *testing.T) {
			before := inUse()
			for n := range clients {
				client := s.dial()
				client.say(t, ask(n))
				if response := client.head(t); response.status != http.StatusOK || response.size < tools<<20 {
					t.Fatalf("%+v", response)
				}
			}
			if now := inUse(); now > before+most {
				t.Errorf("%d clients hold %d MiB", clients, (now-before)>>20)
			}
		})
	}
}
