package wire

import "slices"

// Splice returns line with the bytes of span replaced; the line is not changed.
func Splice(line []byte, span Span, replacement []byte) []byte {
	return Replace(line, Edit{span, replacement})
}

// WithID returns the line of m with its id replaced by the raw JSON id.
func (m *Message) WithID(id []byte) []byte { return Splice(m.Line, m.ID, id) }

// Parts returns the line of m in pieces, with its id replaced by the raw JSON
// id and, where name is given, params.name by the raw JSON name.
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

// MethodIs reports whether the method of m is name, however it is escaped.
func (m *Message) MethodIs(name string) bool {
	raw := m.Method.Of(m.Line)
	return byteAt(raw, 0) == '"' && isNamed(raw, name)
}

// AppendRequest appends the JSON-RPC request with the raw JSON id and params;
// no newline. The method needs no escaping.
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

// Replace returns line with all edits made; their spans do not overlap. The
// line is not changed.
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

// Param returns where in the line of m the member of params at the path stands,
// such as "_meta", "progressToken".
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
