package wire

import (
	"bytes"
	"strconv"
)

// Kind is the kind of a line. It depends on which members are present, not on their types.
type Kind uint8

// The kinds of lines.
const (
	Other        Kind = iota // valid JSON, but not a JSON-RPC message
	Request                  // an object with a method and an id
	Notification             // an object with a method and no id
	Response                 // an object with an id and a result or an error, and no method
	Batch                    // an array of anything
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case Other:
		return "other"
	case Request:
		return "request"
	case Notification:
		return "notification"
	case Response:
		return "response"
	case Batch:
		return "batch"
	default:
		return "unknown"
	}
}

// Message is one scanned line. Its spans hold raw values of any JSON type, with
// quotes and escapes, without surrounding white space.
type Message struct {
	Line []byte
	Kind Kind

	JSONRPC, ID, Method, Params, Result, Error Span

	// Name is the member "name" of params, absent when params is not an object.
	Name Span

	// Duplicate is the first member above that occurs twice, such as "id" or
	// "params.name". The spans are those of the first occurrence.
	Duplicate string
}

// level is the object whose members are being compared.
type level uint8

const (
	topLevel level = iota
	paramsLevel
)

// memberField returns the field that holds the span of a member and the member's label
// in error messages. The field is nil for members that routing does not need.
func (m *Message) memberField(at level, name []byte) (field *Span, label string) {
	if at == paramsLevel {
		if string(name) == "name" {
			return &m.Name, "params.name"
		}
		return nil, ""
	}
	switch string(name) {
	case "jsonrpc":
		return &m.JSONRPC, "jsonrpc"
	case "id":
		return &m.ID, "id"
	case "method":
		return &m.Method, "method"
	case "params":
		return &m.Params, "params"
	case "result":
		return &m.Result, "result"
	case "error":
		return &m.Error, "error"
	default:
		return nil, ""
	}
}

// recordMember stores the first occurrence of a member and notes any further one.
func (m *Message) recordMember(field *Span, label string, value Span) {
	switch {
	case !field.Present():
		*field = value
	case m.Duplicate == "":
		m.Duplicate = label
	}
}

// objectKind returns the kind of an object from the members found in it.
func (m *Message) objectKind() Kind {
	switch {
	case m.Method.Present() && m.ID.Present():
		return Request
	case m.Method.Present():
		return Notification
	case m.ID.Present() && (m.Result.Present() || m.Error.Present()):
		return Response
	default:
		return Other
	}
}

// Span is the half-open range [Start, End) of a line that holds one JSON value.
// A value has at least one byte, so the zero Span means that the value is absent.
type Span struct{ Start, End int }

// Present reports whether the span holds a value.
func (s Span) Present() bool { return s.End > s.Start }

// Of returns the bytes of line that the span covers, nil if the span is absent.
// Appending to them never overwrites the line.
func (s Span) Of(line []byte) []byte {
	if !s.Present() {
		return nil
	}
	return line[s.Start:s.End:s.End]
}

// Key is the canonical form of a request id or progress token. A peer may spell the
// same value differently when it repeats it: 1.0 as 1, "\u0041" as "A".
type Key string

// KeyOf returns the key of a raw JSON string or number.
func KeyOf(raw []byte) Key {
	if text, ok := Unquote(raw); ok {
		return Key(`"` + text)
	}
	if !bytes.ContainsAny(raw, ".eE") {
		return Key(raw)
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return Key(raw)
	}
	return Key(strconv.FormatFloat(f, 'f', -1, 64))
}
