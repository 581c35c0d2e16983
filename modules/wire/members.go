package wire

import (
	"bytes"
	"iter"
	"slices"
)

// The functions in this file read JSON that a [Scanner] has accepted. Given anything
// else they stop early or yield meaningless spans, but never read outside the slice.

// Members yields the members of an object in order: the raw name, with quotes and
// escapes, and the span of the value in object. It yields nothing if object is not a
// JSON object.
func Members(object []byte) iter.Seq2[[]byte, Span] {
	return func(yield func([]byte, Span) bool) {
		i := skipSpace(object, 0)
		if byteAt(object, i) != '{' {
			return
		}
		for i = skipSpace(object, i+1); byteAt(object, i) == '"'; {
			nameEnd := stringEnd(object, i)
			value := valueAt(object, skipDelimiter(object, nameEnd))
			if !value.Present() || !yield(object[i:nameEnd:nameEnd], value) {
				return
			}
			i = skipDelimiter(object, value.End)
		}
	}
}

// Elements yields the spans of the elements of array, in order. It yields nothing if
// array is not a JSON array.
func Elements(array []byte) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		i := skipSpace(array, 0)
		if byteAt(array, i) != '[' {
			return
		}
		for i = skipSpace(array, i+1); byteAt(array, i) != ']'; {
			value := valueAt(array, i)
			if !value.Present() || !yield(value) {
				return
			}
			i = skipDelimiter(array, value.End)
		}
	}
}

// Member returns the span of the value of the first member of object with that name,
// absent if there is none or object is not a JSON object. Names are compared unescaped.
func Member(object []byte, name string) Span {
	for raw, value := range Members(object) {
		if hasName(raw, name) {
			return value
		}
	}
	return Span{}
}

// hasName reports whether raw, a JSON string, is name when unescaped.
func hasName(raw []byte, name string) bool {
	if bytes.IndexByte(raw, '\\') >= 0 {
		text, ok := Unquote(raw)
		return ok && text == name
	}
	return len(raw) == len(name)+len(`""`) && string(raw[1:len(raw)-1]) == name
}

// skipDelimiter skips a colon, a comma or a closing bracket, and the white space
// around it.
func skipDelimiter(json []byte, i int) int {
	return skipSpace(json, skipSpace(json, i)+1)
}

// valueAt returns the span of the value at i, absent if the input ends first.
func valueAt(json []byte, i int) Span {
	start := i
	for depth := 0; i < len(json); {
		switch json[i] {
		case '"':
			i = stringEnd(json, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			i = skipWord(json, i)
		}
		if depth <= 0 {
			return Span{Start: start, End: i}
		}
	}
	return Span{}
}

// stringEnd returns the index after the string at i.
func stringEnd(json []byte, i int) int {
	end, _, err := skipString(json, i)
	if err != nil {
		return len(json)
	}
	return end
}

// skipWord skips the byte at i and the rest of a number or a literal.
func skipWord(json []byte, i int) int {
	for i++; i < len(json); i++ {
		c := json[i]
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') && c != '.' && c != '-' && c != '+' {
			break
		}
	}
	return i
}

// Splice returns a copy of line with the bytes of span replaced.
func Splice(line []byte, span Span, replacement []byte) []byte {
	return Replace(line, Edit{span, replacement})
}

// WithID returns a copy of the line of m with its id replaced by the raw JSON id.
func (m *Message) WithID(id []byte) []byte { return Splice(m.Line, m.ID, id) }

// Parts returns the line of m in pieces, with its id replaced by the raw JSON id and, if
// name is not empty, params.name by the raw JSON name. It copies nothing.
func (m *Message) Parts(id, name []byte) [5][]byte {
	first, second := m.ID, m.Name
	one, two := id, name
	switch {
	case len(name) == 0:
		return [5][]byte{m.Line[:first.Start], id, m.Line[first.End:]}
	case second.Start < first.Start:
		first, second, one, two = second, first, two, one
	}
	return [5][]byte{m.Line[:first.Start], one, m.Line[first.End:second.Start], two, m.Line[second.End:]}
}

// MethodIs reports whether the method of m, unescaped, is name.
func (m *Message) MethodIs(name string) bool {
	raw := m.Method.Of(m.Line)
	return byteAt(raw, 0) == '"' && hasName(raw, name)
}

// AppendRequest appends the JSON-RPC request with the raw JSON id and params, without a
// newline. The method must not need escaping.
func AppendRequest(dst, id []byte, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(append(append(dst, `,"method":"`...), method...), `","params":`...)
	dst = append(dst, params...)
	return append(dst, '}')
}

// Edit is the replacement of one span of a line.
type Edit struct {
	Span Span
	With []byte
}

// Replace returns a copy of line with all edits applied. Their spans must not overlap.
func Replace(line []byte, edits ...Edit) []byte {
	slices.SortFunc(edits, func(a, b Edit) int { return a.Span.Start - b.Span.Start })
	size := len(line)
	for _, e := range edits {
		size += len(e.With)
	}
	out, done := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, line[done:e.Span.Start]...), e.With...)
		done = e.Span.End
	}
	return append(out, line[done:]...)
}

// Param returns the span, in the line of m, of the member of params at path, such as
// "_meta", "progressToken".
func (m *Message) Param(path ...string) Span {
	at := m.Params
	for _, name := range path {
		inner := Member(at.Of(m.Line), name)
		if !inner.Present() {
			return Span{}
		}
		at = Span{at.Start + inner.Start, at.Start + inner.End}
	}
	return at
}

// MinimalInitializeResponse returns a response to initialize with the raw JSON id and, of
// the raw JSON result, the protocol version, whether there are tools, the server's title
// and its instructions. The rest is left out because the SDK's types reject what they do
// not know, as are texts that are not strings. A version that is not a string becomes an
// empty one.
func MinimalInitializeResponse(id, result []byte) []byte {
	version := Member(result, "protocolVersion").Of(result)
	if byteAt(version, 0) != '"' {
		version = []byte(`""`)
	}
	capabilities := Member(result, "capabilities").Of(result)
	tools := `{}`
	if offered := string(Member(capabilities, "tools").Of(capabilities)); offered != "" && offered != "null" && offered != "false" {
		tools = `{"tools":{}}`
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(append(line, `,"result":{"protocolVersion":`...), version...)
	line = append(line, `,"capabilities":`+tools+`,"serverInfo":{"name":"","version":""`...)
	line = appendText(line, "title", Member(result, "serverInfo").Of(result))
	line = append(line, '}')
	return append(appendText(line, "instructions", result), "}}"...)
}

// appendText appends the member of an object with that name, if it is a string.
func appendText(dst []byte, name string, object []byte) []byte {
	value := Member(object, name).Of(object)
	if byteAt(value, 0) != '"' {
		return dst
	}
	return append(append(dst, `,"`+name+`":`...), value...)
}

// OneLine returns a JSON text with its line breaks, which would separate messages,
// replaced by spaces. They are white space, since strings cannot contain them (RFC 8259,
// section 7). The text itself is not modified.
func OneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	text = bytes.Clone(text)
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}
