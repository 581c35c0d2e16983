package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// whiteSpace is what JSON allows between its tokens.
const whiteSpace = " \t\r\n"

// checkSyntax returns the first place where a document is not JSON.
func checkSyntax(doc *document) *Error {
	err := json.Unmarshal(doc.text, new(json.RawMessage))
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return nil // a json.RawMessage takes whatever is valid
	}
	at, message := explain(doc.text, syntax)
	problem := doc.problem(InvalidJSON, "", at, message)
	problem.Err = err
	return problem
}

// explain returns the offending place and what to say about it.
func explain(text []byte, syntax *json.SyntaxError) (at int, message string) {
	reason := syntax.Error()
	if reason == "unexpected end of JSON input" {
		return len(bytes.TrimRight(text, whiteSpace)), reason + "; close every string, bracket and brace"
	}
	at = int(syntax.Offset) - 1
	if opensComment(text[at:], reason) {
		return at, "comments are not allowed in JSON; remove the comment"
	}
	if comma, ok := trailingComma(text[:at], text[at]); ok {
		return comma, "a comma in front of a closing bracket is not allowed in JSON; remove the trailing comma"
	}
	return at, wholeCharacter(text[at:], reason) + "; " + fix(reason)
}

func opensComment(rest []byte, reason string) bool {
	opens := bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*"))
	return opens && !strings.Contains(reason, " in ") // within a string or a literal it is none
}

// trailingComma reports whether the text before a closing bracket ends with a
// comma, and where.
func trailingComma(before []byte, offending byte) (at int, ok bool) {
	before = bytes.TrimRight(before, whiteSpace)
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

func fix(reason string) string {
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
