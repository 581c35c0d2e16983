package wire

import "bytes"

// Malformed says what keeps a message of a client from being JSON-RPC 2.0, or from
// having one reading only; nil when nothing does.
func (m *Message) Malformed() *Error {
	switch {
	case m.Kind == Batch:
		return InvalidRequest("batches are part of protocol version 2025-03-26 only")
	case m.Kind == Other:
		return InvalidRequest("not a JSON-RPC message")
	case m.Duplicate != "":
		return InvalidRequest(m.Duplicate + " stands twice")
	case string(m.JSONRPC.Of(m.Line)) != `"2.0"`:
		return InvalidRequest(`jsonrpc must be "2.0"`)
	case m.Method.Present() && m.Line[m.Method.Start] != '"':
		return InvalidRequest("method must be a string")
	case m.Kind == Request && !IsID(m.ID.Of(m.Line)):
		return InvalidRequest("id must be a string or a number")
	}
	return nil
}

// Answerable returns the id to answer a malformed message under: its own where
// it has exactly one that is legal, null otherwise (JSON-RPC 2.0, section 5).
func (m *Message) Answerable() []byte {
	if id := m.ID.Of(m.Line); m.Duplicate != "id" && IsID(id) {
		return id
	}
	return Null
}

// IsID reports whether a raw JSON value is legal as an id: a string or a number.
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

// BadCursor says why a tools/list is not answered, where all tools stand on one
// page; nil when it is.
func (m *Message) BadCursor() *Error {
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

// HasResultAndError reports whether a response has both members. A null beside the
// other says nothing: some servers write both members always.
func (m *Message) HasResultAndError() bool {
	result, problem := m.Result.Of(m.Line), m.Error.Of(m.Line)
	return result != nil && problem != nil && string(result) != "null" && string(problem) != "null"
}
