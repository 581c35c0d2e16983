package wire

// literal validates that word stands at i.
func literal(line []byte, i int, word string) (end int, err error) {
	for j := range len(word) {
		if byteAt(line, i+j) != word[j] {
			return 0, syntaxError(line, i+j, "expected "+word)
		}
	}
	return i + len(word), nil
}

// number validates the number at i. It also is where bytes end that start no
// value at all.
func number(line []byte, i int) (end int, err error) {
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
	return fraction(line, i)
}

// fraction validates the fraction and the exponent, each optional, behind the
// integer part of a number.
func fraction(line []byte, i int) (end int, err error) {
	if byteAt(line, i) == '.' {
		if i, err = digits(line, i+1); err != nil {
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
	return digits(line, i)
}

// digits validates one or more digits at i.
func digits(line []byte, i int) (end int, err error) {
	if !isDigit(byteAt(line, i)) {
		return 0, syntaxError(line, i, "expected a digit in a number")
	}
	return skipDigits(line, i+1), nil
}

// skipDigits returns the index of the first byte from i on that is no digit.
func skipDigits(line []byte, i int) int {
	for i < len(line) && isDigit(line[i]) {
		i++
	}
	return i
}

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
