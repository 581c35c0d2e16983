package child

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/wire"
)

// What a child says and nobody can be given: the session goes on, and whoever
// waits for it hears why.

// oversized answers for a message that was dropped for its size.
func (l *connection) oversized(e *wire.TooLongError) {
	l.warn("message dropped", "reason", []byte(e.Error()))
	l.failPending(e.Envelope, fmt.Sprintf("sent a message of %d bytes, more than the limit of %d bytes", e.Size, e.Limit))
}

// notUTF8 answers for a message that is not UTF-8, and so no JSON.
func (l *connection) notUTF8(line []byte) {
	l.warn("message ignored", "reason", []byte(wire.ErrNotUTF8.Error()))
	l.failPending(wire.EnvelopeOf(line), "answered with text that is not UTF-8")
}

// unversioned answers for a message that is no JSON-RPC 2.0: strict clients end
// their session with all servers over one.
func (l *connection) unversioned(m *wire.Message) {
	l.warn("message ignored", "reason", []byte(`jsonrpc must be "2.0"`))
	if m.Kind == wire.Response && m.Duplicate == "" {
		l.fail(m.ID.Of(m.Line), `answered with a message whose jsonrpc is not "2.0"`)
	}
}

// notJSON answers for a line that was meant to be an answer. Any other is noise.
func (l *connection) notJSON(line []byte) {
	if rest := withoutMarks(line); len(rest) < len(line) {
		l.warn("byte order mark on standard output ignored", "line", rest)
		l.handle(rest)
		return
	}
	l.warn("line on standard output is not JSON", "line", line)
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) { // not a log that quotes an answer
		l.failPending(wire.EnvelopeOf(line), "answered with text that is not JSON")
	}
}

// withoutMarks returns the line without the byte order marks it begins with.
func withoutMarks(line []byte) []byte {
	for {
		rest, ok := bytes.CutPrefix(line, []byte("\uFEFF"))
		if !ok {
			return line
		}
		line = rest
	}
}

// failPending ends the exchange that an unfit message belongs to.
func (l *connection) failPending(s wire.Envelope, why string) {
	switch {
	case s.HasResultOrError && !s.HasMethod:
		l.fail([]byte(s.ID), why)
	case s.HasMethod && !s.HasResultOrError && s.ID != "" && json.Valid([]byte(s.ID)):
		l.Send(wire.AppendErrorLine(nil, []byte(s.ID), &wire.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: the server " + why}))
	}
}

// fail answers the call with that id in the place of the child.
func (l *connection) fail(id []byte, why string) {
	if r, ok := l.take(id); ok {
		r.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' %s", l.key, why)})
	}
}
