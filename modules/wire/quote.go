package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendQuoted appends s to dst as a JSON string. It escapes only what JSON requires.
// Each byte that is not UTF-8 becomes U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isPlainRune(r) {
			dst = appendEscaped(append(dst, s[done:i]...), r)
			done = i + size
		}
		i += size
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// isPlainRune reports whether r is copied unescaped. U+FFFD is not: it may be the
// result of decoding an invalid byte.
func isPlainRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isPlain(byte(r))
	}
	return r != utf8.RuneError
}

// appendEscaped appends a rune that is not plain.
func appendEscaped(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case utf8.RuneError:
		return utf8.AppendRune(dst, r)
	default:
		const hex = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&0xF])
	}
}

// Unquote returns the text of a raw JSON string. As in encoding/json, a lone surrogate
// and each byte that is not UTF-8 become U+FFFD. ok is false if raw is anything but one
// string without white space around it.
func Unquote(raw []byte) (text string, ok bool) {
	if byteAt(raw, 0) != '"' {
		return "", false
	}
	if end, _, err := skipString(raw, 0); err != nil || end < len(raw) {
		return "", false
	}
	body := raw[1 : len(raw)-1]
	if bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return string(body), true
	}
	return string(appendUnescaped(make([]byte, 0, len(body)), body)), true
}

// appendUnescaped appends the text of body, the contents of a valid string.
func appendUnescaped(dst, body []byte) []byte {
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == '\\' {
			r, size = unescape(body[i:])
		}
		dst = utf8.AppendRune(dst, r)
		i += size
	}
	return dst
}

// unescape decodes the valid escape, or surrogate pair, that s starts with.
func unescape(s []byte) (r rune, size int) {
	switch s[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unescapeUnicode(s)
	default:
		return rune(s[1]), 2
	}
}

// unescapeUnicode decodes the \uXXXX, or the surrogate pair, that s starts with.
func unescapeUnicode(s []byte) (r rune, size int) {
	const one = len(`\uXXXX`)
	r = hexRune(s[2:one])
	if !utf16.IsSurrogate(r) {
		return r, one
	}
	if bytes.HasPrefix(s[one:], []byte(`\u`)) {
		if pair := utf16.DecodeRune(r, hexRune(s[one+2:2*one])); pair != utf8.RuneError {
			return pair, 2 * one
		}
	}
	return utf8.RuneError, one
}

// hexRune decodes valid hexadecimal digits.
func hexRune(digits []byte) (r rune) {
	for _, c := range digits {
		if isDigit(c) {
			r = r<<4 | rune(c-'0')
		} else {
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}
