package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code is the kind of an [Error].
type Code string

// The codes of every configuration error.
const (
	FileNotFound   Code = "file_not_found"
	FileUnreadable Code = "file_unreadable"
	InvalidJSON    Code = "invalid_json"
	InvalidSchema  Code = "invalid_schema"
	MissingEnvVar  Code = "missing_env_var"
	CircularConfig Code = "circular_config"
	UnknownServer  Code = "unknown_server"
)

// Error is one problem with a configuration.
type Error struct {
	Code Code
	// File is the path as the user gave it.
	File string
	// Path is the JSON path of the problem, "" if it has none.
	Path string
	// Line and Column count from 1, in characters; 0 if unknown.
	Line, Column int
	// Message says what is wrong and, after a semicolon, how to fix it.
	Message string
	// Variable is the name of the variable if Code is MissingEnvVar.
	Variable string
	// Err is the cause, nil if there is none.
	Err error
}

// Error returns FILE:LINE:COLUMN: PATH: MESSAGE on one line, without unknown parts.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(display(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	if e.Path != "" {
		b.WriteString(": " + e.Path)
	}
	b.WriteString(": " + e.Message)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors is a list of all problems with a configuration, in file order.
type Errors []*Error

// Error returns one line a problem.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems.
func (es Errors) Unwrap() []error {
	errs := make([]error, len(es))
	for i, e := range es {
		errs[i] = e
	}
	return errs
}

func (es Errors) inFileOrder() Errors {
	return slices.SortedStableFunc(slices.Values(es), func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// display returns s, quoted if it could garble a terminal.
func display(s string) string {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if s == "" || !utf8.ValidString(s) || strings.ContainsFunc(s, unprintable) {
		return strconv.Quote(s)
	}
	return s
}

// jsonPath is the path of a value in the file, such as mcpServers.postgres.args[2].
type jsonPath string

const serversPath jsonPath = "mcpServers"

// ServerPath returns the JSON path of the server with that key, as in an [Error].
func ServerPath(key string) string { return string(serversPath.member(key)) }

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (p jsonPath) member(name string) jsonPath {
	if !plainName.MatchString(name) {
		return jsonPath(fmt.Sprintf("%s[%q]", p, name))
	}
	return p + "." + jsonPath(name)
}

func (p jsonPath) item(i int) jsonPath {
	return jsonPath(fmt.Sprintf("%s[%d]", p, i))
}
