package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// document is the text of a file and where its lines begin.
type document struct {
	name  string // as the user gave it
	text  []byte
	lines []int
}

func newDocument(name string, text []byte) *document {
	lines := []int{0}
	for i, c := range text {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return &document{name: name, text: text, lines: lines}
}

// position returns line and column, in characters from 1.
func (d *document) position(offset int) (line, column int) {
	line, begins := slices.BinarySearch(d.lines, offset)
	if begins {
		line++
	}
	return line, utf8.RuneCount(d.text[d.lines[line-1]:offset]) + 1
}

func (d *document) lineAt(offset int) int {
	line, _ := d.position(offset)
	return line
}

func (d *document) problemAt(code Code, path jsonPath, offset int, message string) *Error {
	line, column := d.position(offset)
	return &Error{
		Code: code, File: d.name, Path: string(path),
		Line: line, Column: column, Message: message,
	}
}

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

func (v value) stringValue() (text string, ok bool) {
	ok = v.kind() == "a string" && json.Unmarshal(v.raw, &text) == nil
	return text, ok
}

// members yields the members of an object as they stand, repeated ones too.
// The whole text has been validated, so that no error of the decoder's can
// hide a member.
func (v value) members() iter.Seq[member] {
	return func(yield func(member) bool) {
		decoder := v.decodeContents()
		for decoder.More() {
			m := member{nameAt: v.nameAfter(int(decoder.InputOffset()))}
			name, _ := decoder.Token()
			m.name, _ = name.(string)
			if !v.decodeNext(decoder, &m.value) || !yield(m) {
				return
			}
		}
	}
}

// items yields the items of an array.
func (v value) items() iter.Seq[value] {
	return func(yield func(value) bool) {
		decoder := v.decodeContents()
		for decoder.More() {
			var item value
			if !v.decodeNext(decoder, &item) || !yield(item) {
				return
			}
		}
	}
}

// decodeContents returns a decoder that stands behind the opening bracket.
func (v value) decodeContents() *json.Decoder {
	decoder := json.NewDecoder(bytes.NewReader(v.raw))
	_, _ = decoder.Token()
	return decoder
}

func (v value) decodeNext(decoder *json.Decoder, into *value) bool {
	err := decoder.Decode(&into.raw)
	into.at = v.at + int(decoder.InputOffset()) - len(into.raw)
	return err == nil
}

// nameAfter finds a name behind white space and the comma.
func (v value) nameAfter(offset int) int {
	return v.at + offset + bytes.IndexByte(v.raw[offset:], '"')
}

// jsonSpace is what JSON allows between its tokens.
const jsonSpace = " \t\r\n"

// checkSyntax returns the first place where a document is not JSON.
func checkSyntax(doc *document) *Error {
	err := json.Unmarshal(doc.text, new(json.RawMessage))
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return nil // a json.RawMessage takes whatever is valid
	}
	at, message := explainSyntax(doc.text, syntax)
	problem := doc.problemAt(InvalidJSON, "", at, message)
	problem.Err = err
	return problem
}

// explainSyntax returns the offending place and what to say about it.
func explainSyntax(text []byte, syntax *json.SyntaxError) (at int, message string) {
	reason := syntax.Error()
	if reason == "unexpected end of JSON input" {
		return len(bytes.TrimRight(text, jsonSpace)), reason + "; close every string, bracket and brace"
	}
	at = int(syntax.Offset) - 1
	if opensComment(text[at:], reason) {
		return at, "comments are not allowed in JSON; remove the comment"
	}
	if comma, ok := trailingComma(text[:at], text[at]); ok {
		return comma, "a comma in front of a closing bracket is not allowed in JSON; remove the trailing comma"
	}
	return at, wholeCharacter(text[at:], reason) + "; " + syntaxFix(reason)
}

func opensComment(rest []byte, reason string) bool {
	opens := bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*"))
	return opens && !strings.Contains(reason, " in ") // within a string or a literal it is none
}

// trailingComma reports whether the text before a closing bracket ends with a
// comma, and where.
func trailingComma(before []byte, offending byte) (at int, ok bool) {
	before = bytes.TrimRight(before, jsonSpace)
	closes := offending == '}' || offending == ']'
	return len(before) - 1, closes && bytes.HasSuffix(before, []byte(","))
}

// wholeCharacter corrects encoding/json, which names the first byte of a
// character beyond ASCII as if it were one.
func wholeCharacter(rest []byte, reason string) string {
	r, size := utf8.DecodeRune(rest)
	if size < 2 {
		return reason
	}
	_, where, _ := strings.Cut(reason, "' ")
	return "invalid character " + strconv.QuoteRune(r) + " " + where
}

func syntaxFix(reason string) string {
	switch {
	case strings.HasSuffix(reason, "after top-level value"):
		return "remove what follows the configuration"
	case strings.HasSuffix(reason, "in string escape code"), strings.HasSuffix(reason, "character escape"):
		return `write a backslash as \\`
	case strings.HasSuffix(reason, "in string literal"):
		return `close the string on its line, or write \n or \t`
	default:
		return "correct the JSON here"
	}
}
