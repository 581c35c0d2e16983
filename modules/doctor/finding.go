package doctor

import (
	"fmt"
	"strconv"
	"strings"
)

// Severity is how serious a finding is.
type Severity string

// The severities: something does not work; it may not work, or not in every client;
// something to know.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Kind identifies the check that made a finding.
type Kind string

// The kinds, in the order of the checks.
const (
	ServerFailed       Kind = "server_failed"
	CommandOffPath     Kind = "command_off_desktop_path"
	InterpreterOffPath Kind = "interpreter_off_desktop_path"
	VariableOffDesktop Kind = "variable_off_desktop"
	SlowStart          Kind = "slow_start"
	NoServers          Kind = "no_servers"
	PatternUnmatched   Kind = "pattern_unmatched"
	NameRefused        Kind = "name_refused"
	NameChanged        Kind = "name_changed"
	SchemaNotObject    Kind = "schema_not_object"
	OutputNotObject    Kind = "output_schema_not_object"
	SchemaComposed     Kind = "schema_composed"
	PropertyName       Kind = "property_name"
	BooleanBound       Kind = "boolean_bound"
	ArrayWithoutItems  Kind = "array_without_items"
	DanglingReference  Kind = "dangling_reference"
	OutputDangling     Kind = "output_dangling_reference"
	PropertiesMissing  Kind = "properties_missing"
	EnumNotOfStrings   Kind = "enum_not_of_strings"
	FormatUnknown      Kind = "format_unknown"
	TooManyTools       Kind = "too_many_tools"
	TooManyTokens      Kind = "too_many_tokens"
	DuplicateTools     Kind = "duplicate_tools"
	SimilarNames       Kind = "similar_names"
	SameDescription    Kind = "same_description"
	SameSchema         Kind = "same_schema"
)

// Informational reports whether a finding needs no action.
func (f *Finding) Informational() bool { return strings.HasPrefix(f.Fix, noAction) }

// Finding is one problem, with its place and its fix.
type Finding struct {
	Kind     Kind     `json:"kind"`
	Severity Severity `json:"severity"`
	Where    string   `json:"where"`             // a place in the file, such as mcpServers.github.command, a canonical tool name, or a flag
	Clients  []string `json:"clients,omitempty"` // keys of the clients it concerns; empty for all
	Places   []string `json:"places,omitempty"`  // all the places in the file that it concerns
	Tools    []string `json:"tools,omitempty"`   // canonical names of all the tools it concerns
	What     string   `json:"what"`
	Fix      string   `json:"fix"`
}

// noAction is the beginning of the fix of an informational finding.
const noAction = "no action is needed"

// shorten truncates a text from a server, which may be long.
func shorten(text string) string { return shortenTo(80, text) }

func shortenTo(most int, text string) string { // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// printable returns a shortened name, quoted if it could disturb a terminal.
func printable(name string) string {
	name = shorten(name)
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// hideFix says how to hide exactly that tool. A name that is shortened or quoted when
// shown cannot be typed, so its position is given instead.
func hideFix(tool definition) string {
	if shorten(tool.Name) != tool.Name || strings.ContainsFunc(tool.Name, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
		return fmt.Sprintf("hide the tool at place %d of the server %q", tool.position, shorten(tool.Server))
	}
	return "hide it with --deny=" + shellQuote(escapeGlob(tool.Name))
}

// escapeGlob returns the pattern of path.Match that matches only the name.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// shellQuote quotes a text for a POSIX shell (section 2.2.2) if necessary.
func shellQuote(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(shellSafe, r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// shellSafe are the characters that no shell interprets.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/@"
