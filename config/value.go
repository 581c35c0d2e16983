package config

import (
	"bytes"
	"encoding/json"
	"iter"
)

// value is a JSON value and where it begins in its document.
type value struct {
	raw json.RawMessage
	at  int
}

// member is one member of an object, and where its name begins.
type member struct {
	name   string
	nameAt int
	value
}

// kind names a value's type with its article, as messages need it.
func (v value) kind() string {
	switch v.raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

func (v value) isNull() bool { return v.kind() == "null" }

func (v value) isTrue() bool { return string(v.raw) == "true" }

func (v value) text() (text string, ok bool) {
	ok = v.kind() == "a string" && json.Unmarshal(v.raw, &text) == nil
	return text, ok
}

// members yields the members of an object as they stand, repeated ones too.
// The whole text has been validated, so that no error of the decoder's can
// hide a member.
func (v value) members() iter.Seq[member] {
	return func(yield func(member) bool) {
		decoder := v.open()
		for decoder.More() {
			m := member{nameAt: v.nameAfter(int(decoder.InputOffset()))}
			name, _ := decoder.Token()
			m.name, _ = name.(string)
			if !v.next(decoder, &m.value) || !yield(m) {
				return
			}
		}
	}
}

// items yields the items of an array.
func (v value) items() iter.Seq[value] {
	return func(yield func(value) bool) {
		decoder := v.open()
		for decoder.More() {
			var item value
			if !v.next(decoder, &item) || !yield(item) {
				return
			}
		}
	}
}

// open returns a decoder that stands behind the opening bracket.
func (v value) open() *json.Decoder {
	decoder := json.NewDecoder(bytes.NewReader(v.raw))
	_, _ = decoder.Token()
	return decoder
}

func (v value) next(decoder *json.Decoder, into *value) bool {
	err := decoder.Decode(&into.raw)
	into.at = v.at + int(decoder.InputOffset()) - len(into.raw)
	return err == nil
}

// nameAfter finds a name behind white space and the comma.
func (v value) nameAfter(offset int) int {
	return v.at + offset + bytes.IndexByte(v.raw[offset:], '"')
}
