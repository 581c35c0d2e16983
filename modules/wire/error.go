package wire

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Error is a JSON-RPC 2.0 error object (JSON-RPC 2.0, section 5.1).
type Error struct {
	Code    int
	Message string
	Data    any // omitted when nil; marshalled with encoding/json otherwise
	// Unsent reports that the request was certainly not sent, so that sending it again
	// is safe. It is not part of the JSON object.
	Unsent bool
}

func (e *Error) Error() string { return e.Message }

// NullID is the id of an answer to a message whose id could not be read.
var NullID = []byte("null") //nolint:gochecknoglobals // a constant but for its type

// AppendErrorLine appends the JSON-RPC error response for the request whose id
// is the raw JSON id; no newline.
func AppendErrorLine(dst, id []byte, e *Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendQuoted(dst, e.Message)
	if data, err := json.Marshal(e.Data); err == nil && e.Data != nil {
		dst = append(append(dst, `,"data":`...), data...)
	}
	return append(dst, "}}"...)
}

// ParseError returns the error for a line that is not JSON (JSON-RPC 2.0, section 5.1).
func ParseError(text string) *Error {
	return &Error{Code: jsonrpc.CodeParseError, Message: "Parse error: " + text}
}

// InvalidRequest returns the error for JSON that is not a JSON-RPC request.
func InvalidRequest(text string) *Error {
	return &Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: " + text}
}

// InvalidParams returns the error for params that the method does not accept.
func InvalidParams(text string) *Error {
	return &Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// MethodNotFound returns the error for an unknown method.
func MethodNotFound(method string) *Error {
	return &Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found: " + method}
}

// InternalError returns the error for a failure that the client did not cause.
func InternalError(text string) *Error {
	return &Error{Code: jsonrpc.CodeInternalError, Message: text}
}

// Malformed returns an error if a message from a client is not valid JSON-RPC 2.0 or is
// ambiguous, nil otherwise.
func (m *Message) Malformed() *Error {
	switch {
	case m.Kind == Batch:
		return InvalidRequest("batches are part of protocol version 2025-03-26 only")
	case m.Kind == Other:
		return InvalidRequest("not a JSON-RPC message")
	case m.Duplicate != "":
		return InvalidRequest(m.Duplicate + " occurs twice")
	case string(m.JSONRPC.Of(m.Line)) != `"2.0"`:
		return InvalidRequest(`jsonrpc must be "2.0"`)
	case m.Method.Present() && m.Line[m.Method.Start] != '"':
		return InvalidRequest("method must be a string")
	case m.Kind == Request && !IsID(m.ID.Of(m.Line)):
		return InvalidRequest("id must be a string or a number")
	}
	return nil
}

// ResponseID returns the id for the response to a malformed message: its own if it has
// exactly one valid id, null otherwise (JSON-RPC 2.0, section 5).
func (m *Message) ResponseID() []byte {
	if id := m.ID.Of(m.Line); m.Duplicate != "id" && IsID(id) {
		return id
	}
	return NullID
}

// IsID reports whether a raw JSON value is a valid id: a string or a number.
func IsID(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// ToolName returns params.name of a tools/call, unescaped.
func (m *Message) ToolName() ([]byte, *Error) {
	params := m.Params.Of(m.Line)
	if len(params) == 0 || params[0] != '{' {
		return nil, InvalidParams("tools/call: params must be an object")
	}
	raw := m.Name.Of(m.Line)
	if len(raw) < 2 || raw[0] != '"' {
		return nil, InvalidParams("tools/call: name must be a string")
	}
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		text, _ := Unquote(raw)
		name = []byte(text)
	}
	if len(name) == 0 {
		return nil, InvalidParams("tools/call: name must not be empty")
	}
	return name, nil
}

// CheckCursor returns an error if the params of a tools/list are invalid or have a
// cursor: all tools are on one page, so no cursor was ever handed out.
func (m *Message) CheckCursor() *Error {
	params := m.Params.Of(m.Line)
	if len(params) == 0 {
		return nil
	}
	if params[0] != '{' {
		return InvalidParams("tools/list: params must be an object")
	}
	switch cursor := Member(params, "cursor").Of(params); {
	case len(cursor) == 0, string(cursor) == "null":
		return nil
	case cursor[0] != '"':
		return InvalidParams("tools/list: cursor must be a string")
	}
	return InvalidParams("tools/list: unknown cursor")
}

// HasResultAndError reports whether a response has both members. A null next to the
// other member does not count, because some servers always write both.
func (m *Message) HasResultAndError() bool {
	result, problem := m.Result.Of(m.Line), m.Error.Of(m.Line)
	return result != nil && problem != nil && string(result) != "null" && string(problem) != "null"
}
