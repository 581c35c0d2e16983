package wire

import (
	"bytes"
	"strconv"
)

// Key is what two spellings of one request id or progress token have in
// common: a peer may write 1.0 as 1 and "\u0041" as "A" when it repeats one.
type Key string

// KeyOf returns the key of a raw JSON string or number.
func KeyOf(raw []byte) Key {
	if text, ok := Unquote(raw); ok {
		return Key(`"` + text)
	}
	if !bytes.ContainsAny(raw, ".eE") {
		return Key(raw)
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return Key(raw)
	}
	return Key(strconv.FormatFloat(f, 'f', -1, 64))
}
