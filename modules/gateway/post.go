package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// post takes a message of a client.
func (g *Gateway) post(w http.ResponseWriter, r *http.Request) {
	body, err := g.read(w, r)
	if err != nil {
		return
	}
	var m wire.Message
	err = new(wire.Scanner).Scan(body, &m)
	s := g.session(r)
	switch {
	case !fits(r):
		g.pass(w, r, body) // the SDK says what is wrong
	case err != nil:
		refuse(w, wire.Null, wire.ParseError(err.Error()))
	case s != nil && m.Kind == wire.Batch && s.version == batchVersion:
		g.batch(w, r, s, body)
	case s != nil:
		g.message(w, r, s, &m)
	case r.Header.Get(sessionHeader) == "" && m.Kind == wire.Request && m.MethodIs("initialize"):
		g.initialize(w, r, &m)
	case r.Header.Get(sessionHeader) != "":
		http.Error(w, "no such session, or it is over: begin another one with initialize", http.StatusNotFound)
	default:
		g.unknownSession(w, r, &m)
	}
}

// unknownSession answers what belongs to no session. The SDK would make one for it, that nobody
// counts and that never ends.
func (g *Gateway) unknownSession(w http.ResponseWriter, r *http.Request, m *wire.Message) {
	problem := m.Malformed()
	switch {
	case problem != nil:
		refuse(w, m.Answerable(), problem)
	case m.Kind == wire.Request && m.MethodIs("server/discover"):
		g.pass(w, r, m.Line) // the SDK says which revisions there are
	default:
		refuse(w, m.Answerable(), wire.InvalidRequest("a session begins with initialize"))
	}
}

// read reads the body. Line breaks in it become blanks: it may go to a server whose
// messages are lines.
func (g *Gateway) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if most := g.options.MaxMessage; r.ContentLength > most {
		err := &http.MaxBytesError{Limit: most}
		unread(w, err)
		return nil, err
	}
	body, err := wire.ReadAll(http.MaxBytesReader(w, r.Body, g.options.MaxMessage), r.ContentLength)
	if err != nil {
		unread(w, err)
	}
	return wire.OneLine(body), err
}

// unread answers a request whose body could not be read.
func unread(w http.ResponseWriter, err error) {
	if busy, ok := errors.AsType[*servers.BusyError](err); ok {
		w.Header().Set("Retry-After", "5") // seconds
		http.Error(w, busy.Error(), http.StatusServiceUnavailable)
		return
	}
	tooLarge, tooMuch := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooMuch:
		http.Error(w, fmt.Sprintf("the message is larger than %d MiB", tooLarge.Limit>>20), http.StatusRequestEntityTooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, "the body did not arrive in time", http.StatusRequestTimeout)
	default:
		http.Error(w, "the body could not be read", http.StatusBadRequest)
	}
}

// fits reports whether the headers are those of a message. Only what does not fit is
// looked at closely.
func fits(r *http.Request) bool {
	return speaks(r) && isJSON(r.Header.Get("Content-Type")) && acceptsBoth(r.Header.Values("Accept"))
}

// speaks reports whether the revision is one of ours, if the request names any.
func speaks(r *http.Request) bool {
	version := r.Header.Get(versionHeader)
	return version == "" || slices.Contains(protocolVersions(), version)
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	base, _, err := mime.ParseMediaType(contentType)
	return err == nil && base == "application/json"
}

// acceptsBoth reports whether the client takes either kind of response, as it has to
// (2025-11-25, basic/transports#sending-messages-to-the-server).
func acceptsBoth(accept []string) bool {
	var json, events bool
	for _, value := range accept {
		for token := range strings.SplitSeq(value, ",") {
			base, _, _ := strings.Cut(token, ";")
			switch strings.ToLower(strings.TrimSpace(base)) {
			case "application/json", "application/*":
				json = true
			case "text/event-stream", "text/*":
				events = true
			case "*/*":
				return true
			}
		}
	}
	return json && events
}

// pass has the SDK handle a request whose body was read.
func (g *Gateway) pass(w http.ResponseWriter, r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.handler.ServeHTTP(w, r)
}

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

// refuse answers what is no message of MCP.
func refuse(w http.ResponseWriter, id []byte, err *wire.Error) {
	writeJSON(w, http.StatusBadRequest, failure(id, err))
}
