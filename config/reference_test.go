package config_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/config"
)

// expandText expands one argument of a File made by hand.
func expandText(t tb, text string, environ ...string) string {
	t.Helper()
	resolved, err := config.NewExpander(config.NewEnv(environ)).Expand(withArg(text))
	if err != nil {
		t.Fatalf("expand %q: %v", text, err)
	}
	return resolved.Servers[0].Args[0]
}

func withArg(text string) *config.File {
	return &config.File{Path: "/f/c.json", Servers: []config.Entry{{Key: "a", Command: "x", Args: []string{text}}}}
}

func TestReferencesAreExpanded(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no dollar", "plain text", "plain text"},
		{"an empty text", "", ""},
		{"a bare name", "$A", "1"},
		{"a bare name ends where its letters end", "<$A-$A.$Ab$A$A>", "<1-1.1b11>"},
		{"a bare name is as long as it can be", "$A_B2", "long"},
		{"a bare name may begin with an underscore", "$_U", "under"},
		{"a bare name begins with no digit", "$1A", "$1A"},
		{"a bare name has no lower case", "$lower", "$lower"},
		{"a name in braces", "<${A}>", "<1>"},
		{"any name goes in braces", "${lower} ${a b} ${1A} ${ä-.$}", "low space digit odd"},
		{"a name in braces keeps its spaces", "${ A :-none}", "none"},
		{"a variable that is set but empty is set", "<$EMPTY${EMPTY}${EMPTY:-default}>", "<>"},
		{"a default for what is not set", "${NOPE:-default}", "default"},
		{"a default is not used for what is set", "${A:-default}", "1"},
		{"a default may be empty", "<${NOPE:-}>", "<>"},
		{"a default begins at the first :-", "${NOPE:-a:-b}", "a:-b"},
		{"a default ends at the first brace", "${NOPE:-a}b}", "ab}"},
		{"a default is literal", "${NOPE:-$A$$A}", "$A$$A"},
		{"a default cannot nest", "${NOPE:-${A}}", "${A}"},
		{"a colon alone is part of the name", "${A:x}", "colon"},
		{"a name of :- is a name", "${:-x}", "dash"},
		{"an escaped bare name", "$$A", "$A"},
		{"an escaped bare name ends where its letters end", "$$Ab$A", "$Ab1"},
		{"an escaped name in braces", "$${A} $${NOPE:-x} $${a b}", "${A} ${NOPE:-x} ${a b}"},
		{"an escaped brace ends at the first brace", "$${a$A}$A", "${a$A}1"},
		{"a dollar before an escaped one", "$$$A", "$$A"},
		{"three dollars before braces", "$$${A}", "$${A}"},
		{"four dollars", "$$$$A", "$$$A"},
		{"any other dollar stays", "$ $$ $a $$a $1 $-$", "$ $$ $a $$a $1 $-$"},
		{"a dollar at the end", "cost: 5$", "cost: 5$"},
		{"empty braces stay", "${} $${}", "${} $${}"},
		{"an open brace stays", "${A $${A ${", "${A $${A ${"},
		{"an open brace stays before a bare name", "${$A", "${1"},
		{"a value is not expanded again", "$TRICK ${TRICK}", "$A${A}$$A $A${A}$$A"},
		{"a value makes no new reference", "$DOLLAR{A} ${DOLLAR}A $$DOLLAR", "${A} $A $DOLLAR"},
		{"a name over two lines", "${a\nb}", "lines"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := expandText(t, test.text,
				"A=1", "A_B2=long", "_U=under", "lower=low", "a b=space", "1A=digit", "ä-.$=odd", "1=no", "EMPTY=",
				"A:x=colon", ":-x=dash", "TRICK=$A${A}$$A", "DOLLAR=$", "a\nb=lines")
			if got != test.want {
				t.Errorf("%q expands to %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestMissingVariablesAreReportedWithTheirFix(t *testing.T) {
	const notSet = " is not set; set it before starting, give it a default with "
	runRefusals(t, config.MissingEnvVar, []refusal{
		{
			"a bare name", oneServer(`"command": "$NOPE"`),
			`c.json:2:12: mcpServers.a.command: environment variable "NOPE"` + notSet +
				`"${NOPE:-...}", leave the server out with "disabled": true, or write "$$NOPE" for a literal dollar`,
		},
		{
			"a name in braces", oneServer(`"command": "x", "args": ["y", "${no pe}"]`),
			`c.json:2:31: mcpServers.a.args[1]: environment variable "no pe"` + notSet +
				`"${no pe:-...}", leave the server out with "disabled": true, or write "$${no pe}" for a literal dollar`,
		},
		{
			"a name with control characters", oneServer(`"command": "x", "cwd": "${\u001b[0m\n}"`),
			`c.json:2:24: mcpServers.a.cwd: environment variable "\x1b[0m\n"` + notSet +
				`"${\x1b[0m\n:-...}", leave the server out with "disabled": true, or write "$${\x1b[0m\n}" for a literal dollar`,
		},
		{
			"one name twice in a text, another once", oneServer(`"command": "x", "env": {"E": "$NOPE ${NOPE} $ALSO $NOPE"}`),
			`c.json:2:30: mcpServers.a.env.E: environment variable "NOPE"` + notSet +
				`"${NOPE:-...}", leave the server out with "disabled": true, or write "$$NOPE" for a literal dollar` + "\n" +
				`c.json:2:30: mcpServers.a.env.E: environment variable "ALSO"` + notSet +
				`"${ALSO:-...}", leave the server out with "disabled": true, or write "$$ALSO" for a literal dollar`,
		},
		{
			"a name without its default elsewhere", oneServer(`"command": "x", "args": ["${NOPE:-y}$NOPE"]`),
			`c.json:2:26: mcpServers.a.args[0]: environment variable "NOPE"` + notSet +
				`"${NOPE:-...}", leave the server out with "disabled": true, or write "$$NOPE" for a literal dollar`,
		},
		{
			"one name in two texts", oneServer("\"command\": \"$NOPE\",\n\"args\": [\"$NOPE\"]"),
			`c.json:2:12: mcpServers.a.command: environment variable "NOPE"` + notSet +
				`"${NOPE:-...}", leave the server out with "disabled": true, or write "$$NOPE" for a literal dollar` + "\n" +
				`c.json:3:10: mcpServers.a.args[0]: environment variable "NOPE"` + notSet +
				`"${NOPE:-...}", leave the server out with "disabled": true, or write "$$NOPE" for a literal dollar`,
		},
	})
}

func TestProblemsOfAFileMadeByHandHaveNoLines(t *testing.T) {
	_, err := config.NewExpander(config.Env{}).Expand(withArg("$NOPE"))
	wantProblems(t, err, config.MissingEnvVar, `/f/c.json: mcpServers.a.args[0]: environment variable "NOPE" is not set; `+
		`set it before starting, give it a default with "${NOPE:-...}", leave the server out with "disabled": true, or write "$$NOPE" for a literal dollar`)
}

func TestEscapePreventsExpansion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := dense().Draw(t, "text")
		if got := expandText(t, config.Escape(text), "A=1", "B=2"); got != text {
			t.Fatalf("%q, escaped as %q, became %q", text, config.Escape(text), got)
		}
	})
}

func TestReadParsesTheContentsOfAFileThatDoesNotExist(t *testing.T) {
	folder := inFolder(t)
	file, err := config.Read("new.json", []byte(`{"mcpServers": {"a": {"command": "x", "cwd": "y"}}}`))
	if err != nil || file.Path != folder+"/new.json" || len(file.Servers) != 1 {
		t.Errorf("%+v, %v", file, err)
	}
	_, err = config.Read("new.json", []byte(`{`))
	wantProblems(t, err, config.InvalidJSON, "new.json:1:2: unexpected end of JSON input; close every string, bracket and brace")
}

func TestRequiredVariablesAreThoseWithoutDefaultOfServersThatRun(t *testing.T) {
	const text = `{"mcpServers": {
	"a": {"command": "${BIN}/x", "args": ["$A", "$$LITERAL", "$${LITERAL}", "${D:-x}"], "env": {"E": "${E} $A"}, "cwd": "${DIR}"},
	"off": {"command": "$OFF", "disabled": true},
	"out": {"command": "$OUT"}
}}`
	file, err := config.NewLoader("c.json", config.Only{"a"}).Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"BIN", "A", "E", "DIR"}; !slices.Equal(file.RequiredVariables(), want) {
		t.Errorf("%q, want %q", file.RequiredVariables(), want)
	}
	if file, err = config.Read("c.json", []byte(text)); err != nil || !slices.Contains(file.RequiredVariables(), "OUT") {
		t.Errorf("%v, %v", file, err)
	}
}
