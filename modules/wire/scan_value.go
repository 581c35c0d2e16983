package wire

// value validates the value at i, of any depth, and returns where it ends.
func (s *Scanner) value(line []byte, i int) (end int, err error) {
	s.nest.reset()
	for {
		var open, more bool
		if i, open, err = s.begin(line, i); err != nil {
			return 0, err
		}
		if open {
			continue // i is at the first value inside
		}
		if i, more, err = s.proceed(line, i); err != nil {
			return 0, err
		}
		if !more {
			return i, nil
		}
	}
}

// begin validates what starts at i: a whole scalar or empty container, or, with
// open set, a container as far as the start of the first value inside it.
func (s *Scanner) begin(line []byte, i int) (next int, open bool, err error) {
	switch byteAt(line, i) {
	case '"':
		next, err = s.string(line, i)
	case '{':
		return s.beginObject(line, skipSpace(line, i+1))
	case '[':
		next, open = s.beginArray(line, skipSpace(line, i+1))
	case 't':
		next, err = literal(line, i, "true")
	case 'f':
		next, err = literal(line, i, "false")
	case 'n':
		next, err = literal(line, i, "null")
	default:
		next, err = number(line, i)
	}
	return next, open, err
}

// beginObject continues behind an object's opening brace.
func (s *Scanner) beginObject(line []byte, i int) (next int, open bool, err error) {
	if byteAt(line, i) == '}' {
		return i + 1, false, nil
	}
	s.nest.pushObject()
	_, next, err = s.name(line, i)
	return next, true, err
}

// beginArray continues behind an array's opening bracket.
func (s *Scanner) beginArray(line []byte, i int) (next int, open bool) {
	if byteAt(line, i) == ']' {
		return i + 1, false
	}
	s.nest.pushArray()
	return i, true
}

// proceed closes the containers that end behind a value and, with more set, stops
// at the value that follows in the innermost one that does not.
func (s *Scanner) proceed(line []byte, i int) (next int, more bool, err error) {
	for s.nest.depth > 0 {
		i = skipSpace(line, i)
		switch byteAt(line, i) {
		case ',':
			i = skipSpace(line, i+1)
			if s.nest.inObject() {
				_, i, err = s.name(line, i)
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

// byteAt returns the byte at i, or 0, which is no token's first byte, behind the end.
func byteAt(line []byte, i int) byte {
	if i < len(line) {
		return line[i]
	}
	return 0
}

// skipSpace returns the index of the first byte from i on that is not white space.
func skipSpace(line []byte, i int) int {
	if i < len(line) && line[i] > ' ' { // most lines have no space between tokens
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
