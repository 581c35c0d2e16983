package child

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/wire"
)

// readOutput handles the child's output line by line until it ends.
func (c *connection) readOutput(src io.Reader, limit int) {
	lines := wire.NewReader(src, limit)
	for {
		line, err := lines.ReadLine()
		if tooLong, ok := errors.AsType[*wire.TooLongError](err); ok {
			c.handleTooLong(tooLong)
		} else if err != nil {
			c.client.Flush()
			return
		} else {
			c.handleLine(line)
		}
		if !lines.Buffered() {
			c.client.Flush()
		}
	}
}

func (c *connection) handleLine(line []byte) {
	switch err := c.scanner.Scan(line, &c.line); {
	case errors.Is(err, wire.ErrNotUTF8):
		c.handleNotUTF8(line)
	case err != nil:
		c.handleNotJSON(line)
	case c.line.Kind == wire.Batch:
		c.handleBatch(line)
	default:
		c.handleMessage(&c.line)
	}
}

func (c *connection) handleMessage(m *wire.Message) {
	switch {
	case m.Kind == wire.Other:
		c.warn("line on standard output is not a JSON-RPC message", "line", m.Line)
	case string(m.JSONRPC.Of(m.Line)) != `"2.0"`:
		c.handleWrongVersion(m)
	case m.Duplicate != "" && !isResponseWithOneID(m):
		c.warn("message ignored", "reason", []byte(m.Duplicate+" occurs twice"))
	case m.Kind == wire.Response:
		c.handleResponse(m)
	case m.Line[m.Method.Start] != '"':
		c.warn("line on standard output is not a JSON-RPC message", "line", m.Line)
	case m.Kind == wire.Request:
		c.handleRequest(m)
	default:
		c.handleNotification(m)
	}
}

// handleBatch handles the messages of a batch one by one. Only revision 2025-03-26
// has batches (basic#batching); those of other revisions do no harm.
func (c *connection) handleBatch(line []byte) {
	empty := true
	for span := range wire.Elements(line) {
		empty = false
		var m wire.Message
		if err := c.scanner.Scan(span.Of(line), &m); err == nil {
			c.handleMessage(&m)
		}
	}
	if empty {
		c.warn("batch on standard output is empty", "line", line)
	}
}

// isResponseWithOneID reports whether m is routed without ambiguity although some member
// occurs twice: a response is routed by its id alone.
func isResponseWithOneID(m *wire.Message) bool {
	if m.Kind != wire.Response {
		return false
	}
	ids := 0
	for raw := range wire.Members(m.Line) {
		if name, _ := wire.Unquote(raw); name == "id" {
			ids++
		}
	}
	return ids == 1
}

// handleResponse hands the child's response to the Replier of the request.
func (c *connection) handleResponse(m *wire.Message) {
	if m.HasResultAndError() {
		c.warn("response ignored", "reason", []byte("it has both a result and an error"))
		c.failCall(m.ID.Of(m.Line), "answered with both a result and an error")
		return
	}
	raw := m.ID.Of(m.Line)
	r, ok := c.calls.RemoveRaw(raw)
	switch {
	case ok:
		r.Reply(m)
	case c.calls.Refuses(): // the end of the child has failed the request already
	default:
		c.warn("response ignored: no request has its id", "id", raw)
	}
}

// handleRequest answers a ping and passes everything else to the client.
func (c *connection) handleRequest(m *wire.Message) {
	if !m.MethodIs("ping") {
		c.client.HandleServerMessage(m, c)
		return
	}
	if err := c.session.Deliver(m); err != nil {
		c.warn("ping ignored", "reason", []byte(err.Error()))
	}
}

// handleNotification signals a changed tool list and passes everything else to
// the client.
func (c *connection) handleNotification(m *wire.Message) {
	if !m.MethodIs("notifications/tools/list_changed") {
		c.client.HandleServerMessage(m, c)
		return
	}
	c.changes.Signal()
}

// Malformed messages are dropped: the session continues, and the request that one belongs
// to fails.

// handleTooLong handles a message that was dropped for its size.
func (c *connection) handleTooLong(e *wire.TooLongError) {
	c.warn("message dropped", "reason", []byte(e.Error()))
	c.failEnvelope(e.Envelope, fmt.Sprintf("sent a message of %d bytes, more than the limit of %d bytes", e.Size, e.Limit))
}

// handleNotUTF8 handles a message that is not UTF-8, and so not JSON.
func (c *connection) handleNotUTF8(line []byte) {
	c.warn("message ignored", "reason", []byte(wire.ErrNotUTF8.Error()))
	c.failEnvelope(wire.EnvelopeOf(line), "answered with text that is not UTF-8")
}

// handleWrongVersion handles a message that is not JSON-RPC 2.0: strict clients end
// their session with all servers over one.
func (c *connection) handleWrongVersion(m *wire.Message) {
	c.warn("message ignored", "reason", []byte(`jsonrpc must be "2.0"`))
	if m.Kind == wire.Response && m.Duplicate == "" {
		c.failCall(m.ID.Of(m.Line), `answered with a message whose jsonrpc is not "2.0"`)
	}
}

// handleNotJSON handles a line that is not JSON: a malformed response, or other output.
func (c *connection) handleNotJSON(line []byte) {
	if rest := withoutByteOrderMarks(line); len(rest) < len(line) {
		c.warn("byte order mark on standard output ignored", "line", rest)
		c.handleLine(rest)
		return
	}
	c.warn("line on standard output is not JSON", "line", line)
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) { // not a log that quotes a response
		c.failEnvelope(wire.EnvelopeOf(line), "answered with text that is not JSON")
	}
}

// withoutByteOrderMarks returns the line without the byte order marks it begins with.
func withoutByteOrderMarks(line []byte) []byte {
	for {
		rest, ok := bytes.CutPrefix(line, []byte("\uFEFF"))
		if !ok {
			return line
		}
		line = rest
	}
}

// failEnvelope fails the request that a malformed message belongs to.
func (c *connection) failEnvelope(e wire.Envelope, why string) {
	switch {
	case e.HasResultOrError && !e.HasMethod:
		c.failCall([]byte(e.ID), why)
	case e.HasMethod && !e.HasResultOrError && e.ID != "" && json.Valid([]byte(e.ID)):
		c.Send(wire.AppendErrorLine(nil, []byte(e.ID), &wire.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: the server " + why}))
	}
}

// failCall fails the call with that id.
func (c *connection) failCall(id []byte, why string) {
	if r, ok := c.calls.RemoveRaw(id); ok {
		r.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' %s", c.key, why)})
	}
}
