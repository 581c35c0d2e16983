package wire

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Scanner validates lines and locates the members that routing needs. The zero value
// is ready to use. A Scanner reuses its memory from line to line and must not be used
// by two goroutines at once.
type Scanner struct {
	nest nesting
	seen uint64 // all words of string bodies, or-ed: a high bit means a byte >= 0x80
}

// Scan validates line as JSON (RFC 8259, of any depth) and fills m. m refers to line
// and holds no copies. White space around the value is allowed.
//
// The error is a [*SyntaxError] if line is not JSON; m then holds the line alone. The
// error wraps [ErrNotUTF8] if only the encoding is wrong; m is then filled, so that the
// message can still be answered.
func (s *Scanner) Scan(line []byte, m *Message) error {
	*m = Message{Line: line}
	s.seen = 0
	if err := s.scanLine(line, m); err != nil {
		*m = Message{Line: line}
		return err
	}
	// A byte >= 0x80 outside a string is a syntax error, so strings alone decide.
	if s.seen&highBits != 0 && !utf8.Valid(line) {
		return encodingError(line)
	}
	return nil
}

// scanLine validates the single value of a line and the white space around it.
func (s *Scanner) scanLine(line []byte, m *Message) error {
	end, err := s.scanMessage(line, skipSpace(line, 0), m)
	if err != nil {
		return err
	}
	if end = skipSpace(line, end); end < len(line) {
		return syntaxError(line, end, "expected nothing after the value")
	}
	return nil
}

// scanMessage validates the value at i and sets the kind of the message.
func (s *Scanner) scanMessage(line []byte, i int, m *Message) (end int, err error) {
	switch byteAt(line, i) {
	case '{':
		end, err = s.scanObject(line, i, m, topLevel)
		m.Kind = m.objectKind()
	case '[':
		end, err = s.scanValue(line, i)
		m.Kind = Batch
	default:
		end, err = s.scanValue(line, i)
	}
	return end, err
}

// scanObject validates the object at i and records in m the members that routing
// needs. It is called at most twice a line, for the message and its params; everything
// below is left to scanValue.
func (s *Scanner) scanObject(line []byte, i int, m *Message, at level) (end int, err error) {
	i = skipSpace(line, i+1)
	if byteAt(line, i) == '}' {
		return i + 1, nil
	}
	for {
		if i, err = s.scanMember(line, i, m, at); err != nil {
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

// scanMember validates the member at i and records it in m if routing needs it.
func (s *Scanner) scanMember(line []byte, i int, m *Message, at level) (end int, err error) {
	nameEnd, start, err := s.scanName(line, i)
	if err != nil {
		return 0, err
	}
	field, label := m.memberField(at, line[i+1:nameEnd-1])
	if field == nil {
		field, label = m.escapedMemberField(at, line[i+1:nameEnd-1])
	}

	// The name in a second params must not be mistaken for that of the first.
	if field == &m.Params && !field.Present() && byteAt(line, start) == '{' {
		end, err = s.scanObject(line, start, m, paramsLevel)
	} else {
		end, err = s.scanValue(line, start)
	}
	if err == nil && field != nil {
		m.recordMember(field, label, Span{Start: start, End: end})
	}
	return end, err
}

// scanName validates a member's name at i and the colon after it, and returns where
// the name ends and where the value starts.
func (s *Scanner) scanName(line []byte, i int) (nameEnd, value int, err error) {
	if byteAt(line, i) != '"' {
		return 0, 0, syntaxError(line, i, "expected a member's name")
	}
	if nameEnd, err = s.scanString(line, i); err != nil {
		return 0, 0, err
	}
	i = skipSpace(line, nameEnd)
	if byteAt(line, i) != ':' {
		return 0, 0, syntaxError(line, i, "expected ':' after a member's name")
	}
	return nameEnd, skipSpace(line, i+1), nil
}

// longestEscapedName is the length of the longest name that routing needs, with
// every character written as \uXXXX.
const longestEscapedName = len("jsonrpc") * len(`\u0000`)

// escapedMemberField is memberField for a name that may have escapes.
func (m *Message) escapedMemberField(at level, name []byte) (field *Span, label string) {
	if len(name) > longestEscapedName || bytes.IndexByte(name, '\\') < 0 {
		return nil, ""
	}
	var buf [longestEscapedName]byte
	return m.memberField(at, appendUnescaped(buf[:0], name))
}

// ErrNotUTF8 is wrapped by the error for a line that is JSON in structure but
// contains a string that is not valid UTF-8.
var ErrNotUTF8 = errors.New("line is not valid UTF-8")

// SyntaxError describes where and why a line is not JSON.
type SyntaxError struct {
	Offset int    // of the first byte that cannot be part of a JSON text; len(line) if the line ends too early
	Reason string // lower case, without the offset
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line is not JSON at byte %d: %s", e.Offset, e.Reason)
}

// syntaxError returns the error for the byte at i, or for the end of line if i is past it.
func syntaxError(line []byte, i int, reason string) error {
	if i >= len(line) {
		return &SyntaxError{Offset: len(line), Reason: "unexpected end"}
	}
	return &SyntaxError{Offset: i, Reason: reason}
}

// encodingError returns the error for the first byte of line that is not valid UTF-8.
func encodingError(line []byte) error {
	i := 0
	for i < len(line) {
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return fmt.Errorf("%w at byte %d", ErrNotUTF8, i)
}
