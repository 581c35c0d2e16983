package wire

import "unicode/utf8"

// Scanner reads lines. The zero value is ready; it keeps its working memory from
// one line to the next and must not be used by two goroutines at once.
type Scanner struct {
	nest nesting
	seen uint64 // all words of string bodies or-ed: its high bits tell of bytes >= 0x80
}

// Scan validates line as JSON (RFC 8259, any depth) and fills m with what it
// found; m holds no copies. White space around the value is allowed.
//
// The error is a [*SyntaxError] when line is not JSON; m then holds the line
// alone. It wraps [ErrNotUTF8] when only the encoding is wrong; m is then filled,
// so that the message can still be answered.
func (s *Scanner) Scan(line []byte, m *Message) error {
	*m = Message{Line: line}
	s.seen = 0
	if err := s.line(line, m); err != nil {
		*m = Message{Line: line}
		return err
	}
	// A byte >= 0x80 outside a string is a syntax error, so strings alone decide.
	if s.seen&highBits != 0 && !utf8.Valid(line) {
		return notUTF8(line)
	}
	return nil
}

// line validates the one value of a line and what stands around it.
func (s *Scanner) line(line []byte, m *Message) error {
	end, err := s.message(line, skipSpace(line, 0), m)
	if err != nil {
		return err
	}
	if end = skipSpace(line, end); end < len(line) {
		return syntaxError(line, end, "expected nothing after the value")
	}
	return nil
}

// message validates the value at i and tells which kind of message it is.
func (s *Scanner) message(line []byte, i int, m *Message) (end int, err error) {
	switch byteAt(line, i) {
	case '{':
		end, err = s.object(line, i, m, topLevel)
		m.Kind = m.objectKind()
	case '[':
		end, err = s.value(line, i)
		m.Kind = Batch
	default:
		end, err = s.value(line, i)
	}
	return end, err
}
