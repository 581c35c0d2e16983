package wire

import "bytes"

// object validates the object at i and records in m the members that routing
// needs. It is entered at most twice for a line, for the message and its params;
// everything below is left to value.
func (s *Scanner) object(line []byte, i int, m *Message, at level) (end int, err error) {
	i = skipSpace(line, i+1)
	if byteAt(line, i) == '}' {
		return i + 1, nil
	}
	for {
		if i, err = s.member(line, i, m, at); err != nil {
			return 0, err
		}
		i = skipSpace(line, i)
		switch byteAt(line, i) {
		case ',':
			i = skipSpace(line, i+1)
		case '}':
			return i + 1, nil
		default:
			return 0, syntaxError(line, i, "expected ',' or '}' after a member")
		}
	}
}

// member validates the member at i and records it in m when routing needs it.
func (s *Scanner) member(line []byte, i int, m *Message, at level) (end int, err error) {
	nameEnd, start, err := s.name(line, i)
	if err != nil {
		return 0, err
	}
	field, label := m.member(at, line[i+1:nameEnd-1])
	if field == nil {
		field, label = m.escapedMember(at, line[i+1:nameEnd-1])
	}

	// A second params is a duplicate: its name must not be taken for the first's.
	if field == &m.Params && !field.Present() && byteAt(line, start) == '{' {
		end, err = s.object(line, start, m, paramsLevel)
	} else {
		end, err = s.value(line, start)
	}
	if err == nil && field != nil {
		m.keep(field, label, Span{Start: start, End: end})
	}
	return end, err
}

// name validates a member's name at i and the colon behind it, and returns where
// the name ends and where the value starts.
func (s *Scanner) name(line []byte, i int) (nameEnd, value int, err error) {
	if byteAt(line, i) != '"' {
		return 0, 0, syntaxError(line, i, "expected a member's name")
	}
	if nameEnd, err = s.string(line, i); err != nil {
		return 0, 0, err
	}
	i = skipSpace(line, nameEnd)
	if byteAt(line, i) != ':' {
		return 0, 0, syntaxError(line, i, "expected ':' after a member's name")
	}
	return nameEnd, skipSpace(line, i+1), nil
}

// longestEscapedName is the length of the longest name that routing needs with
// each of its characters written as \uXXXX.
const longestEscapedName = len("jsonrpc") * len(`\u0000`)

// escapedMember is member for a name that may have escapes.
func (m *Message) escapedMember(at level, name []byte) (field *Span, label string) {
	if len(name) > longestEscapedName || bytes.IndexByte(name, '\\') < 0 {
		return nil, ""
	}
	var buf [longestEscapedName]byte
	return m.member(at, appendUnescaped(buf[:0], name))
}
