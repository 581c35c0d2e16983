package gateway

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

// handleMessage handles one message of a session.
func (g *Gateway) handleMessage(w http.ResponseWriter, r *http.Request, s *session, m *wire.Message) {
	if m.Kind == wire.Response {
		s.handleResponse(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if problem := m.Malformed(); problem != nil {
		writeBadRequest(w, m.Answerable(), problem)
		return
	}
	if m.Kind == wire.Notification {
		g.handleNotification(r, s, m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	g.handleRequest(r, s, m, newStream(w, g.options.KeepAlive))
}

// handleNotification handles one of a client's. Those that no rule is for concern nobody:
// the servers are shared.
func (g *Gateway) handleNotification(r *http.Request, s *session, m *wire.Message) {
	switch {
	case m.MethodIs("notifications/cancelled"):
		s.cancelRequest(m)
	case m.MethodIs("notifications/initialized"):
		g.notifySDK(r, m)
	}
}

// handleRequest handles one request.
func (g *Gateway) handleRequest(r *http.Request, s *session, m *wire.Message, out responder) {
	if handle := g.beginRequest(r, s, m, out); handle != nil {
		handle()
	}
}

// beginRequest registers a request, which what it returns handles; nil if it is answered
// already. What comes after it can cancel it.
//
//nolint:contextcheck // a call outlives the connection of its client
func (g *Gateway) beginRequest(r *http.Request, s *session, m *wire.Message, out responder) (handle func()) {
	id := m.ID.Of(m.Line)
	ctx, finish, ok := s.beginRequest(wire.KeyOf(id), r.Context().Done())
	if !ok {
		out.respond(errorLine(id, wire.InvalidRequest("a request with the same id is open, or the session is over")))
		return nil
	}
	return func() {
		defer finish()
		g.dispatchRequest(ctx, s, m, out)
	}
}

func (g *Gateway) dispatchRequest(ctx context.Context, s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	switch {
	case m.MethodIs("tools/call"):
		g.callTool(ctx, s, m, out)
	case m.MethodIs("tools/list"):
		g.listTools(s, m, out)
	case m.MethodIs("ping"):
		out.respond(resultLine(id, []byte("{}"))...)
	case m.MethodIs("initialize"):
		out.respond(errorLine(id, wire.InvalidRequest("initialize was already answered")))
	default:
		method, _ := wire.Unquote(m.Method.Of(m.Line))
		out.respond(errorLine(id, wire.MethodNotFound(method)))
	}
}

// responder is where the answer to a request goes, and what precedes it.
type responder interface {
	// respond ends the exchange with a message made of parts.
	respond(parts ...[]byte)
	// finishWithoutResponse ends it without.
	finishWithoutResponse()
	// sendEvent says something before. It does not block.
	sendEvent(line []byte) bool
}

func errorLine(id []byte, err *wire.Error) []byte { return wire.AppendErrorLine(nil, id, err) }

// resultLine returns the parts of the response with that result, itself made of parts.
func resultLine(id []byte, result ...[]byte) [][]byte {
	return slices.Concat([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`)}, result, [][]byte{[]byte(`}`)})
}

// handleBatch handles the messages of a batch at once; the answers are events of one stream.
func (g *Gateway) handleBatch(w http.ResponseWriter, r *http.Request, s *session, body []byte) {
	out := newStream(w, g.options.KeepAlive)
	var requests sync.WaitGroup
	empty := true
	for span := range wire.Elements(body) {
		empty = false
		var m wire.Message
		if err := new(wire.Scanner).Scan(span.Of(body), &m); err != nil { // never: the batch was scanned
			continue
		}
		g.handleBatchElement(r, s, &m, &batchPart{out}, &requests)
	}
	requests.Wait()
	switch begun := out.finish(); {
	case empty && !begun:
		writeBadRequest(w, wire.Null, wire.InvalidRequest("the batch is empty"))
	case !begun:
		w.WriteHeader(http.StatusAccepted)
	}
}

// handleBatchElement handles one message.
func (g *Gateway) handleBatchElement(r *http.Request, s *session, m *wire.Message, out responder, requests *sync.WaitGroup) {
	problem := m.Malformed()
	switch {
	case m.Kind == wire.Response:
		s.handleResponse(m)
	case problem != nil:
		out.respond(errorLine(m.Answerable(), problem))
	case m.Kind == wire.Notification:
		g.handleNotification(r, s, m)
	default:
		if handle := g.beginRequest(r, s, m, out); handle != nil {
			requests.Go(handle)
		}
	}
}

// batchPart is the share of one message of a batch in the stream.
type batchPart struct{ *stream }

func (p *batchPart) respond(parts ...[]byte) {
	p.sendFinalEvent(slices.Concat(parts...))
}

func (p *batchPart) finishWithoutResponse() {}
