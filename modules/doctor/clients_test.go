package doctor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/doctor"
	"mcp-aggregator/testutil/clienttest"
)

// kindsOf returns the kinds of those findings that concern the client and not all.
func kindsOf(p doctor.Input, client string) (kinds []string) {
	p.Client = client
	for _, f := range doctor.Examine(p) {
		if slices.Contains(f.Clients, client) {
			kinds = append(kinds, string(f.Kind))
		}
	}
	slices.Sort(kinds)
	return kinds
}

func TestSchemasConcernTheClientsThatRefuseThem(t *testing.T) {
	p := servers(tool("bare", `"inputSchema":{"type":"object"}`), tool("all", `"inputSchema":{"type":"object","oneOf":[],"properties":{
		"a b":{},"bound":{"type":"number","maximum":1,"exclusiveMaximum":true},"list":{"type":"array"},
		"choice":{"enum":[1]},"link":{"type":"string","format":"uri"}}}`))
	for client, row := range clienttest.Rows() {
		if got := kindsOf(p, client); !slices.Equal(got, row.Refuses) {
			t.Errorf("%s: %q, want %q", client, got, row.Refuses)
		}
	}
}

func TestEachClientHasItsOwnLimits(t *testing.T) {
	for client, row := range clienttest.Rows() {
		for _, more := range []int{0, 1} {
			if row.Tools > 0 {
				var tools []doctor.Tool
				for i := range row.Tools + more {
					tools = append(tools, tool(fmt.Sprint("tool", i), good))
				}
				if got := slices.Contains(kindsOf(servers(tools...), client), "too_many_tools"); got != (more > 0) {
					t.Errorf("%s, %d tools: %t", client, len(tools), got)
				}
			}
			if row.Start > 0 {
				p := doctor.Input{Machine: emptyMachine, Wait: time.Hour}
				p.Servers = []doctor.Server{{Key: "a", Running: true, Ready: row.Start + time.Duration(more)}}
				if got := slices.Contains(kindsOf(p, client), "slow_start"); got != (more > 0) {
					t.Errorf("%s, ready after %v and %d ns: %t", client, row.Start, more, got)
				}
			}
		}
		p := servers(tool("big", `"description":"`+strings.Repeat("x", max(200_000, 4*row.Tokens))+`",`+good))
		p.Client = client
		want := ""
		if row.Tokens > 0 {
			want = fmt.Sprint(row.Tokens)
		}
		_, warning, _ := strings.Cut(lines(doctor.Examine(p))[0], " warns of more than ")
		if limit, _, _ := strings.Cut(warning, ";"); limit != want {
			t.Errorf("%s warns of more than %q tokens, want %q", client, limit, want)
		}
	}
}

func TestWhatAShellStartsHasItsVariables(t *testing.T) {
	for client, row := range clienttest.Rows() {
		p := servers(tool("x", good))
		p.Client = client
		p.Servers[0].Missing = []doctor.Variable{{Name: "TOKEN", Where: "mcpServers.a.env.TOKEN"}}
		if got := len(doctor.Examine(p)) == 0; got != row.Shell {
			t.Errorf("%s: %q", client, lines(doctor.Examine(p)))
		}
	}
}

func TestNamesThatClientsSee(t *testing.T) {
	rule := func(client, refused string) doctor.NameRule {
		return doctor.NameRule{Client: client, Problem: func(name string) string {
			if strings.Contains(name, refused) {
				return "it has " + refused
			}
			return ""
		}}
	}
	x, y := tool("x.y", good), tool("y", good)
	x.Shown, y.Shown = []string{"a__x_y", "a__x.y"}, []string{"a__y", "a__y"}
	p := servers(x, y)
	p.Rules = []doctor.NameRule{rule("cursor", "."), rule("codex", ":")}
	changed := doctor.Examine(p)
	wantLines(t, changed, `note name_changed a:x.y: Cursor does not take its name, and sees "a__x_y" instead; no action is needed`)
	if got := fmt.Sprint(changed[0].Tools, changed[0].Clients); got != "[a:x.y] [cursor]" {
		t.Errorf("it concerns %s", got)
	}
	if !strings.HasSuffix(changed[0].Fix, "check --client CLIENT shows all names") {
		t.Errorf("fix: %s", changed[0].Fix)
	}
	p.Client = "cursor"
	if fix := doctor.Examine(p)[0].Fix; strings.Contains(fix, "--client") {
		t.Errorf("with --client: %s", fix)
	}
	p.Client = "codex"
	wantLines(t, doctor.Examine(p))

	p.Client = ""
	p.Servers[0].Tools[0].Shown = []string{"a:x.y", "a:x.y"}
	refused := doctor.Examine(p)
	wantLines(t, refused, `error name_refused a:x.y: Cursor refuses the name "a:x.y": it has .; leave --separator out`)
	if got := fmt.Sprint(refused[0].Tools, refused[0].Clients); got != "[a:x.y] [cursor codex]" {
		t.Errorf("it concerns %s", got)
	}

	z := toolOf("b", "x.y", good)
	z.Shown = []string{"b:x.y", "b:x.y"}
	p.Servers = append(p.Servers, doctor.Server{Key: "b", Tools: []doctor.Tool{z}})
	p.Client = "codex"
	several := doctor.Examine(p)
	wantLines(t, several, "error name_refused a:x.y: Codex refuses", "note duplicate_tools")
	if got := fmt.Sprint(several[0].Tools); got != "[a:x.y b:x.y]" {
		t.Errorf("it concerns %s", got)
	}
}
