package service_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// Some clients shut down their sending side after the request, and read on.
func TestAClientThatHasEndedItsOwnSideGetsItsAnswer(t *testing.T) {
	called, release := make(chan struct{}, 10), make(chan struct{})
	s := start(t, testutil.Spawner{"a": hangs(called, release)})
	id := s.register("a", "STDIO", `{"command":"x"}`).ID
	s.await(id, "CONNECTED")
	session := s.connect("test", "{}").session
	var asked []*peer
	for door, params := range map[string]string{
		"REST": `{"name":"a.x","arguments":{}}`,
		"MCP":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.x","arguments":{}}}`,
	} {
		client := s.dial()
		client.say(t, requestHeads(session, len(params))[door]+params)
		client.endWriting(t)
		asked = append(asked, client)
		<-called
	}
	for _, client := range asked { // it was asked whether it is still there
		if begun, err := client.in.Peek(len("HTTP/1.1 100")); err != nil || string(begun) != "HTTP/1.1 100" {
			t.Errorf("%q, %v", begun, err)
		}
	}
	close(release)
	for _, client := range asked {
		if response := client.answer(t); response.status != http.StatusOK || !strings.Contains(response.text, `"content":[]`) {
			t.Errorf("the answer is %+v", response)
		}
		client.ended(t)
	}
	list := s.dial()
	list.say(t, "GET /api/v1/tools HTTP/1.1\nHost: 127.0.0.1\n\n")
	list.endWriting(t)
	if response := list.answer(t); response.status != http.StatusOK || !strings.Contains(response.text, `"a.x"`) {
		t.Errorf("the list is %+v", response)
	}
}

func (p *peer) endWriting(t *testing.T) {
	t.Helper()
	c, ok := p.Conn.(*net.TCPConn)
	if !ok {
		t.Fatalf("it is a %T", p.Conn)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
}

// A client of HTTP/1.0 does not know interim responses: the end of its input ends it.
func TestAClientOfHTTP10ThatEndsIsGone(t *testing.T) {
	h := &hanging{make(chan struct{}, 1), make(chan struct{}, 1)}
	s := start(t, testutil.Spawner{"a": testutil.SDK(h.setUp)})
	s.await(s.register("a", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	params := `{"name":"a.hang","arguments":{}}`
	client := s.dial()
	client.say(t, strings.Replace(requestHeads("", len(params))["REST"], "HTTP/1.1", "HTTP/1.0", 1)+params)
	<-h.called
	client.endWriting(t)
	<-h.cancelled
}
