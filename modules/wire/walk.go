package wire

import (
	"bytes"
	"iter"
)

// The functions of this file read JSON that a [Scanner] has accepted. Given
// anything else they stop early or yield nonsense, but stay within the slice.

// Members yields the members of an object in order: the raw name, quotes and
// escapes included, and where in object the value is. It yields nothing when
// object is no object.
func Members(object []byte) iter.Seq2[[]byte, Span] {
	return func(yield func([]byte, Span) bool) {
		i := skipSpace(object, 0)
		if byteAt(object, i) != '{' {
			return
		}
		for i = skipSpace(object, i+1); byteAt(object, i) == '"'; {
			nameEnd := stringEnd(object, i)
			value := valueAt(object, skipDelimiter(object, nameEnd))
			if !value.Present() || !yield(object[i:nameEnd:nameEnd], value) {
				return
			}
			i = skipDelimiter(object, value.End)
		}
	}
}

// Elements yields where in array its elements are, in order. It yields nothing
// when array is no array.
func Elements(array []byte) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		i := skipSpace(array, 0)
		if byteAt(array, i) != '[' {
			return
		}
		for i = skipSpace(array, i+1); byteAt(array, i) != ']'; {
			value := valueAt(array, i)
			if !value.Present() || !yield(value) {
				return
			}
			i = skipDelimiter(array, value.End)
		}
	}
}

// Member returns where in object the value of the first member called name is,
// absent when there is none or object is no object. Names are compared without
// their escapes.
func Member(object []byte, name string) Span {
	for raw, value := range Members(object) {
		if isNamed(raw, name) {
			return value
		}
	}
	return Span{}
}

// isNamed reports whether raw, a name with its quotes, reads name.
func isNamed(raw []byte, name string) bool {
	if bytes.IndexByte(raw, '\\') >= 0 {
		text, ok := Unquote(raw)
		return ok && text == name
	}
	return len(raw) == len(name)+len(`""`) && string(raw[1:len(raw)-1]) == name
}

// skipDelimiter skips a colon, a comma or a closing byte and the white space
// around it.
func skipDelimiter(json []byte, i int) int {
	return skipSpace(json, skipSpace(json, i)+1)
}

// valueAt returns the span of the value at i, absent behind the end.
func valueAt(json []byte, i int) Span {
	start := i
	for depth := 0; i < len(json); {
		switch json[i] {
		case '"':
			i = stringEnd(json, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			i = skipWord(json, i)
		}
		if depth <= 0 {
			return Span{Start: start, End: i}
		}
	}
	return Span{}
}

// stringEnd returns where the string at i ends.
func stringEnd(json []byte, i int) int {
	end, _, err := skipString(json, i)
	if err != nil {
		return len(json)
	}
	return end
}

// skipWord skips the byte at i and what follows of a number or a literal.
func skipWord(json []byte, i int) int {
	for i++; i < len(json); i++ {
		c := json[i]
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') && c != '.' && c != '-' && c != '+' {
			break
		}
	}
	return i
}
