package gateway

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

// message handles one message of a session.
func (g *Gateway) message(w http.ResponseWriter, r *http.Request, s *session, m *wire.Message) {
	if m.Kind == wire.Response {
		s.answered(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if problem := m.Malformed(); problem != nil {
		refuse(w, m.Answerable(), problem)
		return
	}
	if m.Kind == wire.Notification {
		g.notification(r, s, m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	g.request(r, s, m, newStream(w, g.options.KeepAlive))
}

// notification handles one of a client's. Those that no rule is for concern nobody:
// the servers are shared.
func (g *Gateway) notification(r *http.Request, s *session, m *wire.Message) {
	switch {
	case m.MethodIs("notifications/cancelled"):
		s.cancel(m)
	case m.MethodIs("notifications/initialized"):
		g.notifySDK(r, m)
	}
}

// request handles one request.
func (g *Gateway) request(r *http.Request, s *session, m *wire.Message, out responder) {
	if handle := g.begin(r, s, m, out); handle != nil {
		handle()
	}
}

// begin registers a request, which what it returns handles; nil if it is answered
// already. What comes after it can cancel it.
//
//nolint:contextcheck // a call outlives the connection of its client
func (g *Gateway) begin(r *http.Request, s *session, m *wire.Message, out responder) (handle func()) {
	id := m.ID.Of(m.Line)
	ctx, finish, ok := s.begin(wire.KeyOf(id), r.Context().Done())
	if !ok {
		out.answer(failure(id, wire.InvalidRequest("a request with the same id is open, or the session is over")))
		return nil
	}
	return func() {
		defer finish()
		g.handle(ctx, s, m, out)
	}
}

func (g *Gateway) handle(ctx context.Context, s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	switch {
	case m.MethodIs("tools/call"):
		g.call(ctx, s, m, out)
	case m.MethodIs("tools/list"):
		g.list(s, m, out)
	case m.MethodIs("ping"):
		out.answer([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":{}}`))
	case m.MethodIs("initialize"):
		out.answer(failure(id, wire.InvalidRequest("initialize was already answered")))
	default:
		method, _ := wire.Unquote(m.Method.Of(m.Line))
		out.answer(failure(id, wire.MethodNotFound(method)))
	}
}

// responder is where the answer to a request goes, and what precedes it.
type responder interface {
	// answer ends the exchange with a message made of parts.
	answer(parts ...[]byte)
	// leave ends it without.
	leave()
	// event says something before. It does not block.
	event(line []byte) bool
}

func failure(id []byte, err *wire.Error) []byte { return wire.AppendErrorLine(nil, id, err) }

// batch handles the messages of a batch at once; the answers are events of one stream.
func (g *Gateway) batch(w http.ResponseWriter, r *http.Request, s *session, body []byte) {
	out := newStream(w, g.options.KeepAlive)
	var requests sync.WaitGroup
	empty := true
	for span := range wire.Elements(body) {
		empty = false
		var m wire.Message
		if err := new(wire.Scanner).Scan(span.Of(body), &m); err != nil { // never: the batch was scanned
			continue
		}
		g.element(r, s, &m, &part{out}, &requests)
	}
	requests.Wait()
	switch begun := out.close(); {
	case empty && !begun:
		refuse(w, wire.Null, wire.InvalidRequest("the batch is empty"))
	case !begun:
		w.WriteHeader(http.StatusAccepted)
	}
}

// element handles one message.
func (g *Gateway) element(r *http.Request, s *session, m *wire.Message, out responder, requests *sync.WaitGroup) {
	problem := m.Malformed()
	switch {
	case m.Kind == wire.Response:
		s.answered(m)
	case problem != nil:
		out.answer(failure(m.Answerable(), problem))
	case m.Kind == wire.Notification:
		g.notification(r, s, m)
	default:
		if handle := g.begin(r, s, m, out); handle != nil {
			requests.Go(handle)
		}
	}
}

// part is the share of one message of a batch in the stream.
type part struct{ *stream }

func (p *part) answer(parts ...[]byte) {
	p.last(slices.Concat(parts...))
}

func (p *part) leave() {}
