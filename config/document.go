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

// document is the text of a file and the offsets of its lines.
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

// position returns the line and the column, in characters, both from 1.
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

// value is a JSON value and its offset in the document.
type value struct {
	raw json.RawMessage
	at  int
}

// member is one member of an object and the offset of its name.
type member struct {
	name   string
	nameAt int
	value
}

// kind returns the type of a value with its article, for messages.
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

// members yields the members of an object in file order, including repeated ones. The
// whole text has been validated, so no decoding error can hide a member.
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

// decodeContents returns a decoder positioned after the opening bracket.
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

// nameAfter returns the offset of the name after white space and a comma.
func (v value) nameAfter(offset int) int {
	return v.at + offset + bytes.IndexByte(v.raw[offset:], '"')
}

// jsonSpace is the white space that JSON allows between tokens.
const jsonSpace = " \t\r\n"

// checkSyntax returns the first syntax error of a document, nil if it is JSON.
func checkSyntax(doc *document) *Error {
	err := json.Unmarshal(doc.text, new(json.RawMessage))
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return nil // a json.RawMessage accepts any valid JSON
	}
	at, message := explainSyntax(doc.text, syntax)
	problem := doc.problemAt(InvalidJSON, "", at, message)
	problem.Err = err
	return problem
}

// explainSyntax returns the offset of a syntax error and the message for it.
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
		return comma, "a comma before a closing bracket is not allowed in JSON; remove the trailing comma"
	}
	return at, wholeCharacter(text[at:], reason) + "; " + syntaxFix(reason)
}

func opensComment(rest []byte, reason string) bool {
	opens := bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*"))
	return opens && !strings.Contains(reason, " in ") // in a string or a literal it is not a comment
}

// trailingComma reports whether the text before a closing bracket ends with a comma,
// and its offset.
func trailingComma(before []byte, offending byte) (at int, ok bool) {
	before = bytes.TrimRight(before, jsonSpace)
	closes := offending == '}' || offending == ']'
	return len(before) - 1, closes && bytes.HasSuffix(before, []byte(","))
}

// wholeCharacter corrects an error of encoding/json, which reports the first byte of a
// non-ASCII character as if it were the character.
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
