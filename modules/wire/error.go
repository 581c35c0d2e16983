package wire

import (
	"encoding/json"
	"strconv"
)

// Error is a JSON-RPC 2.0 error object (JSON-RPC 2.0, section 5.1).
type Error struct {
	Code    int
	Message string
	Data    any // omitted when nil; marshalled with encoding/json otherwise
	// Unsent tells that the request it answers was certainly not sent. It is no part
	// of the object.
	Unsent bool
}

func (e *Error) Error() string { return e.Message }

// Null is the id of an answer to a message whose id could not be read.
var Null = []byte("null") //nolint:gochecknoglobals // a constant but for its type

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
