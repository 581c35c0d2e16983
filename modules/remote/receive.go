package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"

	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// receiver receives the messages of one body of HTTP.
type receiver struct {
	session *session
	request *pendingRequest // that the body answers; nil for a stream of the server's own
	data    buffer
	lines   *bufio.Reader // of an event stream
	scanner wire.Scanner
	message wire.Message
	forSDK  []byte // the response to initialize for the SDK; mostly nil
}

func (s *session) newReceiver(request *pendingRequest) *receiver {
	in, ok := s.budget.receivers.Get().(*receiver)
	if !ok {
		in = new(receiver)
	}
	in.session, in.request = s, request
	in.data.budget, in.data.limit = s.budget, s.options.MaxMessage
	return in
}

// putBack puts the receiver back into the pool.
func (in *receiver) putBack() {
	in.data.resetBuffer()
	pool := &in.session.budget.receivers
	in.session, in.request, in.message = nil, nil, wire.Message{}
	pool.Put(in)
}

// newEventReader returns a reader of the events of a body.
func (in *receiver) newEventReader(body io.Reader) *eventReader {
	if in.lines == nil {
		in.lines = bufio.NewReaderSize(body, lineSize)
	}
	in.lines.Reset(body)
	return &eventReader{src: in.lines, data: &in.data}
}

// receiveEvent handles the message of an event.
func (in *receiver) receiveEvent(ev event) {
	if len(ev.data) > 0 && (ev.name == "" || ev.name == "message") {
		in.receiveMessage(ev.data, ev.overflow)
	}
}

// receiveMessage handles a message. If overflow says why, text is only its beginning.
func (in *receiver) receiveMessage(text []byte, overflow string) {
	m := &in.message
	err := in.scanner.Scan(text, m)
	switch {
	case overflow != "":
		in.failUnusable(text, overflow)
	case errors.Is(err, wire.ErrNotUTF8):
		in.failUnusable(text, "a message is not valid UTF-8")
	case err != nil:
		in.failUnusable(text, "a message is no JSON")
	case m.Kind == wire.Batch: // only revision 2025-03-26 has them
		for span := range wire.Elements(text) {
			in.receiveMessage(span.Of(text), "")
		}
	case string(m.JSONRPC.Of(text)) != `"2.0"` || m.Kind == wire.Other:
		in.failUnusable(text, "a message is not one of JSON-RPC 2.0")
	case m.Kind == wire.Response:
		in.handleResponse(m)
	default:
		in.handleRequest(m)
	}
}

// failUnusable fails the request whose response is malformed.
func (in *receiver) failUnusable(text []byte, why string) {
	s, envelope := in.session, wire.EnvelopeOf(text)
	s.warnIgnored(why)
	if envelope.HasMethod || !envelope.HasResultOrError && in.request == nil {
		return
	}
	why = "the server's answer cannot be used: " + why
	if p, ok := s.pending.RemoveRaw([]byte(envelope.ID)); ok {
		p.replier.Fail(newError(why, false))
	} else if in.request != nil && envelope.ID == "" {
		s.pending.failRequest(in.request, why, false)
	}
}

// handleRequest handles a request or a notification of the server.
func (in *receiver) handleRequest(m *wire.Message) {
	s := in.session
	switch {
	case m.Duplicate != "" || m.Line[m.Method.Start] != '"':
		s.warnIgnored("a message can be read in two ways")
	case m.Kind == wire.Request && m.MethodIs("ping"):
		s.Send([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Line), []byte(`,"result":{}}`))
	case m.Kind == wire.Notification && m.MethodIs("notifications/tools/list_changed"):
		s.changes.Signal()
	default:
		s.peer.HandleServerMessage(m, s, in.callReplier())
	}
}

// callReplier returns the Replier of the call that the body answers; nil if there is no
// such call.
func (in *receiver) callReplier() sessions.Replier {
	if in.request == nil || in.request.ours {
		return nil
	}
	return in.request.replier
}

// handleResponse hands a response to the Replier of its request, or that to initialize to
// the SDK.
func (in *receiver) handleResponse(m *wire.Message) {
	s := in.session
	p, ok := s.pending.RemoveRaw(m.ID.Of(m.Line))
	switch {
	case !ok && s.currentSDKSession() == nil:
		in.forSDK = s.initializeAnswer(m)
	case !ok: // the request was canceled
	case m.HasResultAndError():
		p.replier.Fail(newError("the server answered with both a result and an error", false))
	default:
		p.replier.Reply(m)
	}
}

// initializeAnswer returns the response to initialize for the SDK.
func (s *session) initializeAnswer(m *wire.Message) []byte {
	if problem := m.Error.Of(m.Line); problem != nil && string(problem) != "null" {
		s.recordFirstError(errors.New("initialize: the server answered with the error " + string(problem)))
		return wire.AppendErrorLine(nil, m.ID.Of(m.Line), newError("refused", false))
	}
	return wire.MinimalInitializeResponse(m.ID.Of(m.Line), m.Result.Of(m.Line))
}

// warnIgnored logs that a message of the server was ignored: a few times, then once a
// minute at most.
func (s *session) warnIgnored(why string) {
	s.warnings.Do(func() { s.log.Warn("message of the server ignored", slog.String("reason", why)) })
}

// Send implements [sessions.Origin].
func (s *session) Send(parts ...[]byte) { s.postMessage(bytes.Join(parts, nil), func() {}) }
