package wire

import "bytes"

// Envelope is what could be told of a message that was not kept or is no JSON:
// enough to answer it, nothing to pass on.
type Envelope struct {
	ID      string // the raw value of its member "id"; empty unless it has just one
	Method  bool   // it has a member "method"
	Outcome bool   // it has a member "result" or "error"
}

// EnvelopeOf reads line as far as it looks like an object.
func EnvelopeOf(line []byte) Envelope {
	var s envelopeScanner
	s.feed(line)
	return s.Envelope
}

// maxSketched bounds the bytes kept of a name or an id.
const maxSketched = 4 << 10

// envelopeScanner reads the envelope of a message that it is fed in pieces.
type envelopeScanner struct {
	Envelope
	depth    int
	inString bool
	escaped  bool
	part     part
	kept     []byte // of the name or the id under way
	ids      int    // members "id" met
	isID     bool   // the value under way is that of the first
}

// part says where in the outermost object the envelopeScanner is.
type part uint8

const (
	before part = iota
	inName
	afterName
	inValue
	over
)

func (s *envelopeScanner) feed(piece []byte) {
	for i := 0; i < len(piece); i++ {
		if s.inString && !s.escaped && !s.keeps() {
			if i += plainRun(piece[i:]); i == len(piece) {
				return
			}
		}
		if s.inString {
			s.inText(piece[i])
		} else {
			s.between(piece[i])
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

func (s *envelopeScanner) inText(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = false
	}
	s.keep(c)
	if !s.inString && s.part == inName {
		s.part = afterName
	}
}

// between handles what stands outside strings.
func (s *envelopeScanner) between(c byte) {
	switch c {
	case '"':
		s.inString = true
		if s.depth == 1 && s.part == before {
			s.part, s.kept = inName, s.kept[:0]
		}
		s.keep(c)
	case '{', '[':
		s.depth++
		s.isID = false // no id is a composite
	case '}', ']':
		s.close()
	default:
		s.outermost(c)
	}
}

func (s *envelopeScanner) close() {
	if s.depth > 0 {
		s.depth--
	}
	if s.depth == 0 && s.part != before {
		s.endValue()
		s.part = over
	}
}

// outermost handles what stands outside strings, if it does so in the
// outermost object.
func (s *envelopeScanner) outermost(c byte) {
	switch {
	case s.depth != 1 || s.part == over:
	case c == ':' && s.part == afterName:
		s.beginValue()
	case c == ',':
		s.endValue()
		s.part = before
	case c != ' ' && c != '\t' && c != '\r' && c != '\n':
		s.keep(c)
	}
}

func (s *envelopeScanner) beginValue() {
	switch string(s.kept) {
	case `"id"`:
		s.ids++
		s.isID = s.ids == 1
		s.ID = ""
	case `"method"`:
		s.Method = true
	case `"result"`, `"error"`:
		s.Outcome = true
	}
	s.part, s.kept = inValue, s.kept[:0]
}

func (s *envelopeScanner) endValue() {
	if s.isID && len(s.kept) < maxSketched {
		s.ID = string(s.kept)
	}
	s.isID = false
}

func (s *envelopeScanner) keep(c byte) {
	if s.keeps() {
		s.kept = append(s.kept, c)
	}
}

func (s *envelopeScanner) keeps() bool {
	return (s.part == inName || s.isID) && len(s.kept) < maxSketched
}
