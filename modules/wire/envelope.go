package wire

import "bytes"

// Envelope is what is known of a message that was dropped or is not JSON: enough to
// respond to it, not enough to forward it.
type Envelope struct {
	ID               string // raw JSON; empty unless there is exactly one member "id"
	HasMethod        bool
	HasResultOrError bool
}

// EnvelopeOf reads the envelope of line as far as line looks like a JSON object.
func EnvelopeOf(line []byte) Envelope {
	var s envelopeScanner
	s.feed(line)
	return s.Envelope
}

// maxCollected is the most bytes kept of a member name or an id.
const maxCollected = 4 << 10

// envelopeScanner reads the envelope of a message that arrives in pieces.
type envelopeScanner struct {
	Envelope
	depth    int
	inString bool
	escaped  bool
	position position
	buf      []byte // the current name or id
	idCount  int    // members "id" so far
	inID     bool   // the current value is that of the first member "id"
}

// position is the place of an envelopeScanner in the outermost object.
type position uint8

const (
	beforeName position = iota
	inName
	afterName
	inValue
	afterObject
)

func (s *envelopeScanner) feed(piece []byte) {
	for i := 0; i < len(piece); i++ {
		if s.inString && !s.escaped && !s.collecting() {
			if i += plainRun(piece[i:]); i == len(piece) {
				return
			}
		}
		if s.inString {
			s.scanInString(piece[i])
		} else {
			s.scanOutsideString(piece[i])
		}
	}
}

// plainRun returns a lower bound for the number of bytes up to the next quote or
// escape. The window bounds how much is searched again after each escape.
func plainRun(text []byte) int {
	text = text[:min(len(text), 4<<10)]
	if n := bytes.IndexByte(text, '"'); n >= 0 {
		text = text[:n]
	}
	if n := bytes.IndexByte(text, '\\'); n >= 0 {
		return n
	}
	return len(text)
}

func (s *envelopeScanner) scanInString(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = false
	}
	s.appendByte(c)
	if !s.inString && s.position == inName {
		s.position = afterName
	}
}

// scanOutsideString handles a byte outside strings.
func (s *envelopeScanner) scanOutsideString(c byte) {
	switch c {
	case '"':
		s.inString = true
		if s.depth == 1 && s.position == beforeName {
			s.position, s.buf = inName, s.buf[:0]
		}
		s.appendByte(c)
	case '{', '[':
		s.depth++
		s.inID = false // an id is a string or a number
	case '}', ']':
		s.closeContainer()
	default:
		s.scanOutermost(c)
	}
}

func (s *envelopeScanner) closeContainer() {
	if s.depth > 0 {
		s.depth--
	}
	if s.depth == 0 && s.position != beforeName {
		s.endValue()
		s.position = afterObject
	}
}

// scanOutermost handles a byte outside strings in the outermost object.
func (s *envelopeScanner) scanOutermost(c byte) {
	switch {
	case s.depth != 1 || s.position == afterObject:
	case c == ':' && s.position == afterName:
		s.beginValue()
	case c == ',':
		s.endValue()
		s.position = beforeName
	case c != ' ' && c != '\t' && c != '\r' && c != '\n':
		s.appendByte(c)
	}
}

func (s *envelopeScanner) beginValue() {
	switch string(s.buf) {
	case `"id"`:
		s.idCount++
		s.inID = s.idCount == 1
		s.ID = ""
	case `"method"`:
		s.HasMethod = true
	case `"result"`, `"error"`:
		s.HasResultOrError = true
	}
	s.position, s.buf = inValue, s.buf[:0]
}

func (s *envelopeScanner) endValue() {
	if s.inID && len(s.buf) < maxCollected {
		s.ID = string(s.buf)
	}
	s.inID = false
}

func (s *envelopeScanner) appendByte(c byte) {
	if s.collecting() {
		s.buf = append(s.buf, c)
	}
}

func (s *envelopeScanner) collecting() bool {
	return (s.position == inName || s.inID) && len(s.buf) < maxCollected
}
