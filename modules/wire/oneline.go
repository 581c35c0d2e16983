package wire

import "bytes"

// OneLine returns a JSON text without line breaks, which separate messages: they are
// white space, since strings hold none (RFC 8259, section 7). The text is not changed.
func OneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	text = bytes.Clone(text)
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}
