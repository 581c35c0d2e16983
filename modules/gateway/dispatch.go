package gateway

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

// handleMessage handles a single message of a session.
func (g *Gateway) handleMessage(w http.ResponseWriter, r *http.Request, s *session, m *wire.Message) {
	if m.Kind == wire.Response {
		s.handleResponse(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if problem := m.Malformed(); problem != nil {
		writeBadRequest(w, m.ResponseID(), problem)
		return
	}
	if m.Kind == wire.Notification {
		g.handleNotification(r, s, m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	g.handleRequest(r, s, m, newStream(w, g.options.KeepAlive))
}

// handleNotification handles a client's notification. It drops those that it does not
// know: they cannot be forwarded, since servers are shared between clients.
func (g *Gateway) handleNotification(r *http.Request, s *session, m *wire.Message) {
	switch {
	case m.MethodIs("notifications/cancelled"):
		s.cancelRequest(m)
	case m.MethodIs("notifications/initialized"):
		g.notifySDK(r, m)
	}
}

// handleRequest handles a single request.
func (g *Gateway) handleRequest(r *http.Request, s *session, m *wire.Message, out responder) {
	if handle := g.beginRequest(r, s, m, out); handle != nil {
		handle()
	}
}

// beginRequest registers a request, so that messages behind it can cancel it, and returns
// the function that handles it. It returns nil if the request was refused.
//
//nolint:contextcheck // a call outlives the connection of its client
func (g *Gateway) beginRequest(r *http.Request, s *session, m *wire.Message, out responder) (handle func()) {
	id := m.ID.Of(m.Line)
	ctx, finish, ok := s.beginRequest(wire.KeyOf(id), r.Context().Done())
	if !ok {
		out.respond(errorLine(id, wire.InvalidRequest("a request with the same id is open, or the session has ended")))
		return nil
	}
	return func() {
		defer finish()
		g.dispatchRequest(ctx, s, m, out)
	}
}

// dispatchRequest handles a registered request by its method.
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

// responder takes the response to a request, and the events that precede it.
type responder interface {
	// respond ends the exchange with a message made of parts.
	respond(parts ...[]byte)
	// finishWithoutResponse ends the exchange without a message.
	finishWithoutResponse()
	// sendEvent queues a message ahead of the response. It does not block, and reports
	// false if the message was dropped.
	sendEvent(line []byte) bool
}

// errorLine returns an error response.
func errorLine(id []byte, err *wire.Error) []byte { return wire.AppendErrorLine(nil, id, err) }

// resultLine returns the parts of a response whose result is made of parts.
func resultLine(id []byte, result ...[]byte) [][]byte {
	return slices.Concat([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`)}, result, [][]byte{[]byte(`}`)})
}

// handleBatch handles the messages of a batch concurrently. The responses are events of
// one stream.
func (g *Gateway) handleBatch(w http.ResponseWriter, r *http.Request, s *session, body []byte) {
	out := newStream(w, g.options.KeepAlive)
	var requests sync.WaitGroup
	empty := true
	for span := range wire.Elements(body) {
		empty = false
		var m wire.Message
		if err := new(wire.Scanner).Scan(span.Of(body), &m); err != nil { // impossible: the batch was scanned
			continue
		}
		g.handleBatchElement(r, s, &m, &batchPart{out}, &requests)
	}
	requests.Wait()
	switch isEventStream := out.finish(); {
	case empty && !isEventStream:
		writeBadRequest(w, wire.NullID, wire.InvalidRequest("the batch is empty"))
	case !isEventStream:
		w.WriteHeader(http.StatusAccepted)
	}
}

// handleBatchElement handles one message of a batch.
func (g *Gateway) handleBatchElement(r *http.Request, s *session, m *wire.Message, out responder, requests *sync.WaitGroup) {
	problem := m.Malformed()
	switch {
	case m.Kind == wire.Response:
		s.handleResponse(m)
	case problem != nil:
		out.respond(errorLine(m.ResponseID(), problem))
	case m.Kind == wire.Notification:
		g.handleNotification(r, s, m)
	default:
		if handle := g.beginRequest(r, s, m, out); handle != nil {
			requests.Go(handle)
		}
	}
}

// batchPart is the responder for one message of a batch.
type batchPart struct{ *stream }

func (p *batchPart) respond(parts ...[]byte) {
	p.sendFinalEvent(slices.Concat(parts...))
}

func (p *batchPart) finishWithoutResponse() {}
