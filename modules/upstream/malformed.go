package upstream

import "mcp-aggregator/modules/wire"

// malformed says what keeps a message of the client from being JSON-RPC 2.0,
// or from having one reading only.
func malformed(m *wire.Message) *wire.Error {
	switch {
	case m.Kind == wire.Batch:
		return invalidRequest("batches are part of protocol version 2025-03-26 only")
	case m.Kind == wire.Other:
		return invalidRequest("not a JSON-RPC message")
	case m.Duplicate != "":
		return invalidRequest(m.Duplicate + " stands twice")
	case string(m.JSONRPC.Of(m.Line)) != `"2.0"`:
		return invalidRequest(`jsonrpc must be "2.0"`)
	case m.Method.Present() && m.Line[m.Method.Start] != '"':
		return invalidRequest("method must be a string")
	case m.Kind == wire.Request && !isID(m.ID.Of(m.Line)):
		return invalidRequest("id must be a string or a number")
	}
	return nil
}

// answerable returns the id to answer a malformed message under: its own where
// it has exactly one that is legal, null otherwise (JSON-RPC 2.0, section 5).
func answerable(m *wire.Message) []byte {
	if id := m.ID.Of(m.Line); m.Duplicate != "id" && isID(id) {
		return id
	}
	return wire.Null
}

func isID(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}
