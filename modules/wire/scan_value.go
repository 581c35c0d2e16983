package wire

// scanValue validates the value at i, of any depth, and returns the index after it.
func (s *Scanner) scanValue(line []byte, i int) (end int, err error) {
	s.nest.reset()
	for {
		var open, more bool
		if i, open, err = s.beginValue(line, i); err != nil {
			return 0, err
		}
		if open {
			continue // with the first value inside, at i
		}
		if i, more, err = s.nextValue(line, i); err != nil {
			return 0, err
		}
		if !more {
			return i, nil
		}
	}
}

// beginValue validates the start of the value at i: a whole scalar or empty container
// or, with open set, a container up to the first value inside it.
func (s *Scanner) beginValue(line []byte, i int) (next int, open bool, err error) {
	switch byteAt(line, i) {
	case '"':
		next, err = s.scanString(line, i)
	case '{':
		return s.beginObject(line, skipSpace(line, i+1))
	case '[':
		next, open = s.beginArray(line, skipSpace(line, i+1))
	case 't':
		next, err = scanLiteral(line, i, "true")
	case 'f':
		next, err = scanLiteral(line, i, "false")
	case 'n':
		next, err = scanLiteral(line, i, "null")
	default:
		next, err = scanNumber(line, i)
	}
	return next, open, err
}

// beginObject continues after an object's opening brace.
func (s *Scanner) beginObject(line []byte, i int) (next int, open bool, err error) {
	if byteAt(line, i) == '}' {
		return i + 1, false, nil
	}
	s.nest.pushObject()
	_, next, err = s.scanName(line, i)
	return next, true, err
}

// beginArray continues after an array's opening bracket.
func (s *Scanner) beginArray(line []byte, i int) (next int, open bool) {
	if byteAt(line, i) == ']' {
		return i + 1, false
	}
	s.nest.pushArray()
	return i, true
}

// nextValue closes the containers that end at i. With more set, next is the index of
// the next value in the innermost container that is still open.
func (s *Scanner) nextValue(line []byte, i int) (next int, more bool, err error) {
	for s.nest.depth > 0 {
		i = skipSpace(line, i)
		switch byteAt(line, i) {
		case ',':
			i = skipSpace(line, i+1)
			if s.nest.inObject() {
				_, i, err = s.scanName(line, i)
			}
			return i, true, err
		case s.nest.closer():
			s.nest.pop()
			i++
		default:
			return 0, false, syntaxError(line, i, "expected ',' or '"+string(s.nest.closer())+"' after a value")
		}
	}
	return i, false, nil
}

// byteAt returns the byte at i, or 0, which starts no token, if i is past the end.
func byteAt(line []byte, i int) byte {
	if i < len(line) {
		return line[i]
	}
	return 0
}

// skipSpace returns the index of the first byte at or after i that is not white space.
func skipSpace(line []byte, i int) int {
	if i < len(line) && line[i] > ' ' { // the common case: no space between tokens
		return i
	}
	return skipSpaces(line, i)
}

func skipSpaces(line []byte, i int) int {
	const spaces uint64 = 1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'
	for i < len(line) && spaces>>line[i]&1 == 1 { // 0 for bytes > 63
		i++
	}
	return i
}

// scanLiteral validates that word is at i.
func scanLiteral(line []byte, i int, word string) (end int, err error) {
	for j := range len(word) {
		if byteAt(line, i+j) != word[j] {
			return 0, syntaxError(line, i+j, "expected "+word)
		}
	}
	return i + len(word), nil
}

// scanNumber validates the number at i. It also reports bytes that start no value.
func scanNumber(line []byte, i int) (end int, err error) {
	start := i
	if byteAt(line, i) == '-' {
		i++
	}
	switch c := byteAt(line, i); {
	case c == '0':
		i++
	case isDigit(c):
		i = skipDigits(line, i+1)
	case i == start:
		return 0, syntaxError(line, i, "expected a value")
	default:
		return 0, syntaxError(line, i, "expected a digit after '-'")
	}
	return scanFraction(line, i)
}

// scanFraction validates the optional fraction and the optional exponent after the
// integer part of a number.
func scanFraction(line []byte, i int) (end int, err error) {
	if byteAt(line, i) == '.' {
		if i, err = scanDigits(line, i+1); err != nil {
			return 0, err
		}
	}
	if byteAt(line, i)|0x20 != 'e' {
		return i, nil
	}
	i++
	if c := byteAt(line, i); c == '+' || c == '-' {
		i++
	}
	return scanDigits(line, i)
}

// scanDigits validates one or more digits at i.
func scanDigits(line []byte, i int) (end int, err error) {
	if !isDigit(byteAt(line, i)) {
		return 0, syntaxError(line, i, "expected a digit in a number")
	}
	return skipDigits(line, i+1), nil
}

// skipDigits returns the index of the first byte at or after i that is not a digit.
func skipDigits(line []byte, i int) int {
	for i < len(line) && isDigit(line[i]) {
		i++
	}
	return i
}

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// keptWords bounds the memory that a Scanner keeps after a deeply nested line: 8 KiB,
// enough for 65,536 levels.
const keptWords = 1 << 10

// nesting is the stack of open containers, one bit each, set for an object. The lowest
// bit of top is the innermost container; every 64 levels top is pushed to words.
type nesting struct {
	top   uint64
	depth uint
	words []uint64
}

func (n *nesting) reset() {
	n.depth = 0
	n.words = n.words[:0]
	if cap(n.words) > keptWords {
		n.words = nil
	}
}

func (n *nesting) pushArray()  { n.push(0) }
func (n *nesting) pushObject() { n.push(1) }

func (n *nesting) push(bit uint64) {
	if n.depth%64 == 0 {
		n.words = append(n.words, n.top)
	}
	n.top = n.top<<1 | bit
	n.depth++
}

func (n *nesting) pop() {
	n.depth--
	n.top >>= 1
	if n.depth%64 == 0 {
		last := len(n.words) - 1
		n.top, n.words = n.words[last], n.words[:last]
	}
}

// inObject reports whether the innermost open container is an object.
func (n *nesting) inObject() bool { return n.top&1 == 1 }

// closer returns the byte that closes the innermost open container.
func (n *nesting) closer() byte { return "]}"[n.top&1] }
