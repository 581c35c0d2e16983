package remote_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-aggregator/modules/remote"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

const testTimeout = 20 * time.Second

// peer is a Peer that records.
type peer struct {
	tools      chan []string
	listErrors chan string
	messages   chan serverMessage
}

type serverMessage struct {
	line string
	id   string
	from sessions.Origin
	of   sessions.Replier
}

func newPeer() *peer {
	return &peer{tools: make(chan []string, 100), listErrors: make(chan string, 100), messages: make(chan serverMessage, 10_000)}
}

func (p *peer) Tools(definitions [][]byte) {
	list := []string{}
	for _, d := range definitions {
		list = append(list, string(d))
	}
	p.tools <- list
}

func (p *peer) ListFailed(why string) { p.listErrors <- why }

func (p *peer) HandleServerMessage(m *wire.Message, from sessions.Origin, of sessions.Replier) {
	p.messages <- serverMessage{string(m.Line), string(m.ID.Of(m.Line)), from, of}
}

// replier is a Replier that records the outcome.
type replier chan outcome

type outcome struct {
	line string // of the server; empty if it failed
	err  *wire.Error
}

func (r replier) Reply(m *wire.Message) { r <- outcome{line: string(m.Line)} }

func (r replier) Fail(err *wire.Error) { r <- outcome{err: err} }

func newReplier() replier { return make(replier, 2) }

// await returns the next value.
func await[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(testTimeout):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// connection is a session with a server, and its peer.
type connection struct {
	t *testing.T
	sessions.Session
	*peer
}

type dialSettings struct {
	options remote.Options
	headers map[string]string
	secrets []string
	log     *slog.Logger
}

func dial(t *testing.T, transport servers.Transport, url string, with dialSettings) (*connection, error) {
	t.Helper()
	if with.log == nil {
		with.log = slog.New(slog.DiscardHandler)
	}
	return dialWith(t, remote.NewDialers(with.log, with.options), transport, url, with)
}

func dialWith(t *testing.T, dialers map[servers.Transport]sessions.Dialer, transport servers.Transport, url string, with dialSettings) (*connection, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	p := newPeer()
	session, err := dialers[transport].Dial(ctx, sessions.Target{
		Server:  servers.Server{Name: "s", Transport: transport, Connection: servers.Connection{URL: url, Headers: with.headers}},
		Secrets: with.secrets,
	}, p)
	if err != nil {
		return nil, err
	}
	t.Cleanup(session.Close)
	return &connection{t, session, p}, nil
}

func connect(t *testing.T, transport servers.Transport, url string) *connection {
	t.Helper()
	c, err := dial(t, transport, url, dialSettings{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// request scans a line.
func request(t *testing.T, line string) *wire.Message {
	t.Helper()
	var m wire.Message
	if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	return &m
}

// call makes a call with that line.
func (c *connection) call(line, tool string) replier {
	c.t.Helper()
	r := newReplier()
	c.Call(request(c.t, line), []byte(tool), r)
	return r
}

// callTool makes a call of a tool without arguments.
func (c *connection) callTool(tool string) replier {
	c.t.Helper()
	return c.call(`{"jsonrpc":"2.0","id":"theirs","method":"tools/call","params":{"name":"x"}}`, `"`+tool+`"`)
}

// result waits for the answer to a call.
func (c *connection) result(r replier) string {
	c.t.Helper()
	o := await(c.t, "the answer", r)
	if o.err != nil {
		c.t.Fatalf("the call failed: %v", o.err)
	}
	return o.line
}

// failure waits for the error of ours that a call ends with.
func (c *connection) failure(r replier) *wire.Error {
	c.t.Helper()
	o := await(c.t, "the failure", r)
	if o.err == nil {
		c.t.Fatalf("the call was answered: %s", o.line)
	}
	return o.err
}

// awaitEnd waits for the end of the session and returns why it ended.
func (c *connection) awaitEnd() string {
	c.t.Helper()
	await(c.t, "the end", c.Done())
	if c.Err() == nil {
		c.t.Fatal("it ended without a reason")
	}
	return c.Err().Error()
}

// logBuffer holds a log.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *logBuffer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *logBuffer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func optionsOf(maxMessage int) remote.Options { return remote.Options{MaxMessage: maxMessage} }
