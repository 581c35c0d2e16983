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

// receiver takes the messages of one body of HTTP.
type receiver struct {
	session *session
	of      *pendingRequest // whose answer the body carries; nil for a stream of the server's own
	data    buffer
	lines   *bufio.Reader // of an event stream
	scanner wire.Scanner
	message wire.Message
	forSDK  []byte // the answer to initialize, as the SDK gets it; mostly nil
}

func (s *session) receiver(of *pendingRequest) *receiver {
	in, ok := s.memory.receivers.Get().(*receiver)
	if !ok {
		in = new(receiver)
	}
	in.session, in.of = s, of
	in.data.memory, in.data.limit = s.memory, s.options.MaxMessage
	return in
}

// free gives the receiver back for other bodies.
func (in *receiver) free() {
	in.data.reset()
	m := in.session.memory
	in.session, in.of, in.message = nil, nil, wire.Message{}
	m.receivers.Put(in)
}

// events reads the body as an event stream.
func (in *receiver) events(body io.Reader) *events {
	if in.lines == nil {
		in.lines = bufio.NewReaderSize(body, lineSize)
	}
	in.lines.Reset(body)
	return &events{src: in.lines, data: &in.data}
}

// event takes the message of an event.
func (in *receiver) event(ev event) {
	if len(ev.data) > 0 && (ev.name == "" || ev.name == "message") {
		in.receive(ev.data, ev.excess)
	}
}

// receive takes a message. It is the beginning of one if excess says what was too much.
func (in *receiver) receive(text []byte, excess string) {
	m := &in.message
	err := in.scanner.Scan(text, m)
	switch {
	case excess != "":
		in.unusable(text, excess)
	case errors.Is(err, wire.ErrNotUTF8):
		in.unusable(text, "a message is not valid UTF-8")
	case err != nil:
		in.unusable(text, "a message is no JSON")
	case m.Kind == wire.Batch: // only revision 2025-03-26 has them
		for span := range wire.Elements(text) {
			in.receive(span.Of(text), "")
		}
	case string(m.JSONRPC.Of(text)) != `"2.0"` || m.Kind == wire.Other:
		in.unusable(text, "a message is not one of JSON-RPC 2.0")
	case m.Kind == wire.Response:
		in.response(m)
	default:
		in.request(m)
	}
}

// unusable answers the request whose answer cannot be used.
func (in *receiver) unusable(text []byte, why string) {
	s, envelope := in.session, wire.EnvelopeOf(text)
	s.ignore(why)
	if envelope.HasMethod || !envelope.HasResultOrError && in.of == nil {
		return
	}
	why = "the server's answer cannot be used: " + why
	if p, ok := s.pending.RemoveRaw([]byte(envelope.ID)); ok {
		p.replier.Fail(errorOfOurs(why, false))
	} else if in.of != nil && envelope.ID == "" {
		s.pending.fail(in.of, why, false)
	}
}

// request takes a request or a notification of the server.
func (in *receiver) request(m *wire.Message) {
	s := in.session
	switch {
	case m.Duplicate != "" || m.Line[m.Method.Start] != '"':
		s.ignore("a message can be read in two ways")
	case m.Kind == wire.Request && m.MethodIs("ping"):
		s.Send([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Line), []byte(`,"result":{}}`))
	case m.Kind == wire.Notification && m.MethodIs("notifications/tools/list_changed"):
		s.changes.Signal()
	default:
		s.peer.HandleServerMessage(m, s, in.whose())
	}
}

// whose is the Replier of the call whose answer the body carries; nil if there is no
// such call.
func (in *receiver) whose() sessions.Replier {
	if in.of == nil || in.of.ours {
		return nil
	}
	return in.of.replier
}

// response brings an answer to whoever waits for it: the SDK for that to initialize.
func (in *receiver) response(m *wire.Message) {
	s := in.session
	p, ok := s.pending.RemoveRaw(m.ID.Of(m.Line))
	switch {
	case !ok && s.leader() == nil:
		in.forSDK = s.introduced(m)
	case !ok: // it was cancelled
	case m.HasResultAndError():
		p.replier.Fail(errorOfOurs("the server answered with both a result and an error", false))
	default:
		p.replier.Reply(m)
	}
}

// introduced is the answer to initialize as the SDK gets it.
func (s *session) introduced(m *wire.Message) []byte {
	if problem := m.Error.Of(m.Line); problem != nil && string(problem) != "null" {
		s.note(errors.New("initialize: the server answered with the error " + string(problem)))
		return wire.AppendErrorLine(nil, m.ID.Of(m.Line), errorOfOurs("refused", false))
	}
	return wire.MinimalInitializeResponse(m.ID.Of(m.Line), m.Result.Of(m.Line))
}

// ignore logs that something of the server's was ignored: a few times, then now and
// then.
func (s *session) ignore(why string) {
	s.noise.Do(func() { s.log.Warn("message of the server ignored", slog.String("reason", why)) })
}

// Send implements [sessions.Origin]: it answers what the server has asked.
func (s *session) Send(parts ...[]byte) { s.post(bytes.Join(parts, nil), func() {}) }
