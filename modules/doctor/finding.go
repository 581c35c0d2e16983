package doctor

import "strings"

// Severity says how much a finding matters.
type Severity string

// The severities: something does not work; it may not work, or not everywhere;
// and what is good to know.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Kind says which check a finding comes from.
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

// nothing begins the fix of a finding that needs no action.
const nothing = "no action is needed"

// Informational reports whether a finding needs no action, but in a case that
// most will not meet.
func (f *Finding) Informational() bool { return strings.HasPrefix(f.Fix, nothing) }

// Finding is one thing that is off.
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
