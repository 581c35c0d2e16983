package router_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is a RequestRouter with fakes around it.
type harness struct {
	*router.RequestRouter

	tools    *registry.ToolRegistry
	requests *router.ServerRequestsFactory

	mu       sync.Mutex
	records  map[string]servers.Server // by id
	states   map[string]*sessions.State
	replaced map[string]chan struct{}
}

// newHarness returns a router to disconnected servers with those names; the id of each is
// "id-" and the name.
func newHarness(names ...string) *harness {
	h := &harness{
		tools:    registry.NewToolRegistry(registry.Order(names), registry.Dotted, registry.Filter{}, slog.New(slog.DiscardHandler)),
		requests: router.NewServerRequestsFactory(), records: make(map[string]servers.Server),
		states: make(map[string]*sessions.State), replaced: make(map[string]chan struct{}),
	}
	h.RequestRouter = router.NewRequestRouter(h, h, h.tools, router.Options{})
	for _, name := range names {
		h.records["id-"+name] = servers.Server{ID: "id-" + name, Name: name}
		h.setStatus(name, servers.Disconnected, "")
	}
	return h
}

// setStatus moves a server to a state without a session and hides its tools.
func (h *harness) setStatus(name string, status servers.Status, reason string) {
	h.setState(name, &sessions.State{Status: status, Reason: reason})
	h.tools.RemoveTools(name)
}

func (h *harness) setState(name string, state *sessions.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.replaced[name]
	over := make(chan struct{})
	state.Replaced = over
	h.states["id-"+name], h.replaced[name] = state, over
	if before != nil {
		close(before)
	}
}

// connect gives a server a session and tools with those raw definitions.
func (h *harness) connect(name string, definitions ...string) *session {
	var raw [][]byte
	for _, definition := range definitions {
		raw = append(raw, []byte(definition))
	}
	h.tools.ReplaceTools(name, raw)
	s := &session{done: make(chan struct{}), requests: h.requests.NewServerRequests(h.records["id-"+name])}
	h.setState(name, &sessions.State{Status: servers.Connected, Live: &sessions.LiveSession{Session: s, ServerRequests: s.requests}})
	return s
}

func (h *harness) Servers() []servers.Server {
	return slices.SortedFunc(maps.Values(h.records), func(a, b servers.Server) int { return strings.Compare(a.ID, b.ID) })
}

func (h *harness) Server(id string) (servers.Server, error) {
	if s, ok := h.records[id]; ok {
		return s, nil
	}
	return servers.Server{}, servers.ErrUnknown
}

func (h *harness) Named(name string) (servers.Server, error) { return h.Server("id-" + name) }

func (h *harness) State(id string) *sessions.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.states[id]
}

// session is a fake session. The test answers its calls.
type session struct {
	requests sessions.ServerRequests
	done     chan struct{}

	mu        sync.Mutex
	calls     []receivedCall
	cancelled []string // notifications/cancelled
	sent      []string // responses to the server's requests
}

// receivedCall is a call that the session has received.
type receivedCall struct {
	request, tool string
	replier       sessions.Replier
}

func (s *session) Call(request *wire.Message, tool []byte, r sessions.Replier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, receivedCall{string(request.Line), string(tool), r})
}

func (s *session) Cancel(note *wire.Message, _ sessions.Replier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled = append(s.cancelled, string(note.Line))
}

func (s *session) Done() <-chan struct{} { return s.done }
func (*session) Err() error              { return errors.New("it crashed") }
func (*session) Close()                  {}

// Send implements sessions.Origin.
func (s *session) Send(parts ...[]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, string(slices.Concat(parts...)))
}

// takeSent returns what was sent to the server since the last call.
func (s *session) takeSent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.sent = nil }()
	return strings.Join(s.sent, "\n")
}

// call returns the i-th call that the session has received.
func (s *session) call(t *testing.T, i int) receivedCall {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.calls) {
		t.Fatalf("%d calls", len(s.calls))
	}
	return s.calls[i]
}

func (s *session) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// reply answers the i-th call.
func (s *session) reply(t *testing.T, i int, line string) {
	t.Helper()
	s.call(t, i).replier.Reply(message(line))
}

// endSession ends the session. Its calls fail, as unsent or not.
func (s *session) endSession(t *testing.T, unsent bool) {
	t.Helper()
	for i := range s.count() {
		s.call(t, i).replier.Fail(&wire.Error{Message: "the session ended", Unsent: unsent})
	}
	close(s.done)
}

// message parses a line.
func message(line string) *wire.Message {
	m := new(wire.Message)
	if err := new(wire.Scanner).Scan([]byte(line), m); err != nil {
		panic(err)
	}
	return m
}

// outcome is the result of RequestRouter.Call.
type outcome struct {
	answer *router.Answer
	err    error
}

// callAsync makes a call in another goroutine.
func (h *harness) callAsync(ctx context.Context, q router.Query, client router.Client, request string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		answer, err := h.Call(ctx, router.Call{Query: q, Request: message(request), Client: client})
		done <- outcome{answer, err}
	}()
	return done
}

const (
	request = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"x"}}`
	result  = `{"jsonrpc":"2.0","id":5,"result":{"n":1e400}}`
)

// named returns the definition of a tool with those annotations.
func named(name, annotations string) string {
	return `{"name":"` + name + `","annotations":` + annotations + `}`
}
