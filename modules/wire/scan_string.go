package wire

import (
	"encoding/binary"
	"math/bits"
)

const (
	eachByte = 0x0101010101010101 // times a byte: that byte in each place of a word
	highBits = 0x80 * eachByte

	// shortString is the length up to which skipString takes the fast path: most
	// strings are member names.
	shortString = 32
)

// scanString validates the string at i.
func (s *Scanner) scanString(line []byte, i int) (end int, err error) {
	end, seen, err := skipString(line, i)
	s.seen |= seen
	return end, err
}

// skipString validates the string whose opening quote is at i. All words that it reads
// are or-ed in seen, where a high bit means a byte >= 0x80, possibly one after the string.
func skipString(line []byte, i int) (end int, seen uint64, err error) {
	i++
	for last := min(i+shortString, len(line)) - 8; i <= last; i += 8 {
		word := binary.LittleEndian.Uint64(line[i:])
		seen |= word
		if stops := stopBits(word); stops != 0 {
			if n := i + bits.TrailingZeros64(stops)/8; line[n] == '"' {
				return n + 1, seen, nil
			}
			break
		}
	}
	return skipLongString(line, i, seen)
}

// skipLongString continues skipString at i, a block at a time.
func skipLongString(line []byte, i int, before uint64) (end int, seen uint64, err error) {
	seen = before
	for {
		plain, words := skipPlain(line, i)
		seen |= words
		if plain+blockSize > len(line) {
			return skipStringTail(line, plain, seen)
		}
		b := blockOf(line[plain:])
		seen |= b.seen
		var closed bool
		if i, closed, err = b.skipBlock(line, plain); closed || err != nil {
			return i, seen, err
		}
	}
}

// skipPlain skips plain bytes from i on, four words at a time, and stops at or before
// the first byte that is not plain.
func skipPlain(line []byte, i int) (end int, seen uint64) {
	for ; i+32 <= len(line); i += 32 {
		words := line[i : i+32 : i+32]
		a, b := binary.LittleEndian.Uint64(words), binary.LittleEndian.Uint64(words[8:])
		c, d := binary.LittleEndian.Uint64(words[16:]), binary.LittleEndian.Uint64(words[24:])
		if stopBits(a)|stopBits(b)|stopBits(c)|stopBits(d) != 0 {
			break
		}
		seen |= a | b | c | d
	}
	return i, seen
}

// skipStringTail continues skipString when less than a block of line is left.
func skipStringTail(line []byte, i int, before uint64) (end int, seen uint64, err error) {
	seen = before
	for i+8 <= len(line) {
		word := binary.LittleEndian.Uint64(line[i:])
		seen |= word
		stops := stopBits(word)
		if stops == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(stops) / 8
		if line[i] == '"' {
			return i + 1, seen, nil
		}
		if i, err = scanEscape(line, i); err != nil {
			return 0, seen, err
		}
	}
	for i < len(line) && line[i] != '"' {
		if isPlain(line[i]) {
			seen |= uint64(line[i])
			i++
		} else if i, err = scanEscape(line, i); err != nil {
			return 0, seen, err
		}
	}
	if i >= len(line) {
		return 0, seen, syntaxError(line, i, "")
	}
	return i + 1, seen, nil
}

// stopBits sets the high bit of the first byte of word that is not plain, and no bit if
// all are. The bits above it are meaningless: they may be borrows.
func stopBits(word uint64) uint64 {
	// Flipping 0x02 moves the quote, 0x22, next to the control characters, < 0x20,
	// so that one subtraction finds both.
	quoteOrControl := (word ^ 0x02*eachByte) - 0x21*eachByte
	backslash := (word ^ '\\'*eachByte) - eachByte
	return (quoteOrControl | backslash) &^ word & highBits
}

// isPlain reports whether c may appear unescaped in a string.
func isPlain(c byte) bool { return c >= ' ' && c != '"' && c != '\\' }

// scanEscape validates the escape at i. A byte other than a backslash is a control
// character, which is an error.
func scanEscape(line []byte, i int) (end int, err error) {
	if line[i] != '\\' {
		return 0, syntaxError(line, i, "control character in a string")
	}
	i++
	switch byteAt(line, i) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, nil
	case 'u':
		return scanHexDigits(line, i+1)
	default:
		return 0, syntaxError(line, i, "unknown escape in a string")
	}
}

// scanHexDigits validates the four digits at i.
func scanHexDigits(line []byte, i int) (end int, err error) {
	for end = i + 4; i < end; i++ {
		if !isHex(byteAt(line, i)) {
			return 0, syntaxError(line, i, `expected four hexadecimal digits after \u`)
		}
	}
	return end, nil
}

// isHex reports whether c is a hexadecimal digit.
func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}
