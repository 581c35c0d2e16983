package service_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/app/service"
	"mcp-aggregator/testutil"
)

func TestCallsThatOutlastTheStopAreAnswered(t *testing.T) {
	l := limits()
	l.Drain, l.Reply = time.Millisecond, time.Hour
	called, release := make(chan struct{}, 10), make(chan struct{})
	defer close(release)
	s := start(t, testutil.Spawner{"a": hangs(called, release)}, service.Limited(l))
	s.await(s.register("a", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	session := s.connect("test", "{}").session
	clients := make(map[string]*peer)
	for door, params := range map[string]string{
		"REST": `{"name":"a.x","arguments":{}}`,
		"MCP":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.x","arguments":{}}}`,
	} {
		clients[door] = s.dial()
		clients[door].say(t, requestHeads(session, len(params))[door]+params)
		<-called
	}
	s.stop()
	response := clients["REST"].answer(t)
	if response.status != http.StatusBadGateway || !strings.Contains(response.text, `"code":"outcome_unknown"`) || !strings.Contains(response.text, `"server":"a"`) {
		t.Errorf("REST: %+v", response)
	}
	response = clients["MCP"].answer(t)
	if response.status != http.StatusOK || !strings.Contains(response.text, `"data":{"server":"a","outcome":"unknown"}`) {
		t.Errorf("MCP: %+v", response)
	}
}

// Waiting connections are closed at once; calls with the token are not.
func TestACallMayGoOnWhenWhatWaitsIsEnded(t *testing.T) {
	l := limits()
	l.Drain, l.Leave = time.Hour, time.Millisecond
	called, release := make(chan struct{}, 1), make(chan struct{})
	s := start(t, testutil.Spawner{"a": hangs(called, release)}, service.Limited(l))
	s.await(s.register("a", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	const params = `{"name":"a.x","arguments":{}}`
	waiting, caller := s.dial(), s.dial()
	waiting.say(t, requestHeads("", 1000)["REST"]+"begun")
	caller.say(t, requestHeads("", len(params))["REST"]+params)
	<-called
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.stop()
	}()
	waiting.ended(t)
	close(release)
	if response := caller.answer(t); response.status != http.StatusOK {
		t.Errorf("it is answered with %+v", response)
	}
	<-stopped
}

// A client without a complete request or without the token does not delay the stop.
func TestWhatIsNoRequestDoesNotDelayTheEnd(t *testing.T) {
	l := limits()
	l.Drain, l.Grace, l.Leave = time.Hour, time.Hour, time.Millisecond
	s := start(t, testutil.Spawner{}, requireToken, service.Limited(l))
	body := requestHeads("x", 1000)["REST"]
	for _, begun := range []string{
		"", "GET / HTTP/1.1\nHost:", body + "begun", "GET /healthz HTTP/1.1\nHost: a\n\n",
		strings.Replace(body, "Host", "Authorization: Bearer t0k3n\nHost", 1) + "begun",
	} {
		s.dial().say(t, begun)
	}
	s.rest(http.MethodGet, "/tools", "") // those before it have been accepted
	s.stop()                             // fails after a minute
}
