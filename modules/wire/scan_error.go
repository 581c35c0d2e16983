package wire

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrNotUTF8 is wrapped by the error for a line that is JSON in structure, but
// holds a string that is not valid UTF-8.
var ErrNotUTF8 = errors.New("line is not valid UTF-8")

// SyntaxError tells where and why a line is not JSON.
type SyntaxError struct {
	Offset int    // of the first byte that no JSON text could have there; len(line) when the line ends too early
	Reason string // lower case, without the offset
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line is not JSON at byte %d: %s", e.Offset, e.Reason)
}

// syntaxError blames the byte at i, or the end of the line when it lies there.
func syntaxError(line []byte, i int, reason string) error {
	if i >= len(line) {
		return &SyntaxError{Offset: len(line), Reason: "unexpected end"}
	}
	return &SyntaxError{Offset: i, Reason: reason}
}

// notUTF8 blames the first byte of line that is not part of a character.
func notUTF8(line []byte) error {
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
