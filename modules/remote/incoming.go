package remote

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"

	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// incoming takes the messages of one body.
type incoming struct {
	session *session
	of      *call // whose answer the body carries; nil for the server's own stream
	scanner wire.Scanner
}

// close tells that the body has ended.
func (in *incoming) close() {
	if in.of != nil {
		in.of.release()
	}
}

// receive handles what the server says, and returns the lines that are for the SDK.
// A message that was cut has been too long.
func (in *incoming) receive(text []byte, cut bool) [][]byte {
	var m wire.Message
	err := in.scanner.Scan(text, &m)
	switch {
	case cut:
		return in.spoiled(wire.SketchOf(text), fmt.Sprintf("a message is longer than %d bytes", in.session.options.MaxMessage))
	case errors.Is(err, wire.ErrNotUTF8):
		return in.spoiled(wire.SketchOf(text), "a message is not valid UTF-8")
	case err != nil:
		return in.spoiled(wire.SketchOf(text), "a message is no JSON")
	case m.Kind == wire.Batch: // only revision 2025-03-26 has them
		var lines [][]byte
		for span := range wire.Elements(text) {
			lines = append(lines, in.receive(span.Of(text), false)...)
		}
		return lines
	default:
		return in.message(&m)
	}
}

// spoiled answers the call whose answer cannot be used.
func (in *incoming) spoiled(sketch wire.Sketch, why string) [][]byte {
	in.session.ignore(why)
	if sketch.Method || !sketch.Outcome && in.of == nil {
		return nil
	}
	c := in.of
	if n, ok := in.session.calls.takeRaw([]byte(sketch.ID)); ok {
		c = n
	} else if c == nil || sketch.ID != "" || !in.session.calls.isOpen(c) {
		return nil
	} else {
		in.session.calls.take(c.id)
	}
	c.replier.Fail(ourError("the server's answer cannot be used: " + why))
	return [][]byte{c.stub()}
}

func (in *incoming) message(m *wire.Message) [][]byte {
	s := in.session
	switch {
	case string(m.JSONRPC.Of(m.Line)) != `"2.0"` || m.Kind == wire.Other:
		return in.spoiled(wire.SketchOf(m.Line), "a message is not one of JSON-RPC 2.0")
	case m.Kind == wire.Response:
		return in.response(m)
	case m.Duplicate != "" || m.Line[m.Method.Start] != '"':
		s.ignore("a message can be read in two ways")
	case m.Kind == wire.Request && m.MethodIs("ping"):
		s.Send([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Line), []byte(`,"result":{}}`))
	case m.Kind == wire.Notification && m.MethodIs("notifications/tools/list_changed"):
		s.touch()
	default:
		s.peer.Pass(m, s, in.whose())
	}
	return nil
}

// whose is the Replier of the call whose answer the body carries; nil if there is no
// such call, or it is one of ours.
func (in *incoming) whose() sessions.Replier {
	if in.of == nil {
		return nil
	}
	if _, ours := in.of.replier.(answer); ours {
		return nil
	}
	return in.of.replier
}

// response brings an answer to whoever waits for it. The SDK waits for that to
// initialize, and for the end of each call.
func (in *incoming) response(m *wire.Message) [][]byte {
	s := in.session
	c, ok := s.calls.takeRaw(m.ID.Of(m.Line))
	switch {
	case !ok && s.leader() == nil:
		return [][]byte{s.introduced(m)}
	case !ok:
		return nil // it was cancelled
	case m.HasResultAndError():
		c.replier.Fail(ourError("the server answered with both a result and an error"))
	default:
		c.replier.Reply(m)
	}
	if stub := c.stub(); stub != nil {
		return [][]byte{stub}
	}
	return nil
}

// touch has the tool list read again.
func (s *session) touch() {
	select {
	case s.changed <- struct{}{}:
	default: // it will be read again anyway
	}
}

// introduced is the answer to initialize as the SDK gets it.
func (s *session) introduced(m *wire.Message) []byte {
	if problem := m.Error.Of(m.Line); problem != nil && string(problem) != "null" {
		s.note(errors.New("initialize: the server answered with the error " + string(problem)))
		return wire.AppendErrorLine(nil, m.ID.Of(m.Line), ourError("refused"))
	}
	return wire.PlainInitialize(m.ID.Of(m.Line), m.Result.Of(m.Line))
}

// ignore logs that something of the server's was ignored: a few times, then now and
// then.
func (s *session) ignore(why string) {
	s.noise.Do(func() { s.log.Warn("message of the server ignored", slog.String("reason", why)) })
}

func joined(lines [][]byte) []byte { return bytes.Join(lines, []byte{'\n'}) }
