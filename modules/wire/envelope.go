package wire

import "bytes"

// Envelope is what could be told of a message that was not kept or is no JSON:
// enough to answer it, nothing to pass on.
type Envelope struct {
	ID               string // the raw value of its member "id"; empty unless it has just one
	HasMethod        bool   // it has a member "method"
	HasResultOrError bool   // it has a member "result" or "error"
}

// EnvelopeOf reads line as far as it looks like an object.
func EnvelopeOf(line []byte) Envelope {
	var s envelopeScanner
	s.feed(line)
	return s.Envelope
}

// maxCollected bounds the bytes kept of a name or an id.
const maxCollected = 4 << 10

// envelopeScanner reads the envelope of a message that it is fed in pieces.
type envelopeScanner struct {
	Envelope
	depth    int
	inString bool
	escaped  bool
	position position
	buf      []byte // of the name or the id under way
	idCount  int    // members "id" met
	inID     bool   // the value under way is that of the first
}

// position says where in the outermost object the envelopeScanner is.
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

// plainRun returns how many bytes go on inside a string, at least. The window
// bounds what is looked at again after each escape.
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

// scanOutsideString handles what stands outside strings.
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
		s.inID = false // no id is a composite
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

// scanOutermost handles what stands outside strings, if it does so in the
// scanOutermost object.
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
