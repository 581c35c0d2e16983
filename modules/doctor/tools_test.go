package doctor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/doctor"
)

func TestStartsThatMissTheFirstList(t *testing.T) {
	const (
		half   = " slow_start mcpServers.a: ready after more than half of the 10s that tools/list waits"
		longer = " slow_start mcpServers.a: ready after longer than the "
		list   = "10s that tools/list waits: its tools come with notifications/tools/list_changed"
	)
	tests := map[string]struct {
		ready  time.Duration
		client string
		want   []string
	}{
		"quick":                           {5 * time.Second, "", nil},
		"slow":                            {5100 * time.Millisecond, "", []string{"note" + half}},
		"too slow":                        {10100 * time.Millisecond, "", []string{"warning" + longer + list}},
		"late for all":                    {61 * time.Second, "", []string{"warning" + longer + list}},
		"late for another client":         {31 * time.Second, "claude-desktop", []string{"warning" + longer + list}},
		"in time for the client":          {9 * time.Second, "codex", []string{"note" + half}},
		"late if the client started it":   {11 * time.Second, "codex", []string{"warning" + longer + list, "note" + longer + "10s that Codex waits for a server that it starts itself; no action is needed"}},
		"late for a client of more limit": {61 * time.Second, "claude-code", []string{"warning" + longer + list, "note" + longer + "1m0s that Claude Code waits"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := doctor.Input{Machine: nothing, Client: test.client, Wait: 10 * time.Second}
			p.Servers = []doctor.Server{{Key: "a", Place: "mcpServers.a", Running: true, Ready: test.ready}}
			wantLines(t, doctor.Examine(p), test.want...)
		})
	}
}

func TestSlowServersAreOneFinding(t *testing.T) {
	p := doctor.Input{Machine: nothing, Wait: 10 * time.Second}
	for i, key := range []string{"a", "b", "c"} {
		p.Servers = append(p.Servers, doctor.Server{Key: key, Place: "mcpServers." + key, Running: true, Ready: time.Duration(20+i) * time.Second})
	}
	findings := doctor.Examine(p)
	wantLines(t, findings, "warning slow_start mcpServers.a: ready after longer than")
	if got := strings.Join(findings[0].Places, " "); got != "mcpServers.a mcpServers.b mcpServers.c" {
		t.Errorf("places: %s", got)
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

func TestToolsThatAreAlike(t *testing.T) {
	same := `"description":"Finds.",` + good
	long := `"inputSchema":{"properties":{"a":{"type":"string","description":"` + strings.Repeat("long ", 40) + `"}},"type":"object"}`
	tests := map[string]struct {
		tools []doctor.Tool
		want  []string
	}{
		"all different": {[]doctor.Tool{tool("x", good), toolOf("b", "y", good)}, nil},
		"one name in two servers": {[]doctor.Tool{tool("x", good), toolOf("b", "x", good)}, []string{
			`note duplicate_tools a:x: the servers "a" and "b" both offer "x": a model may take one for the other; give the servers keys`,
		}},
		"one name in three servers": {[]doctor.Tool{tool("x", good), toolOf("b", "x", good), toolOf("c", "x", good)}, []string{
			`note duplicate_tools a:x: the servers "a", "b" and "c" all offer "x"`,
		}},
		"the same servers twice": {[]doctor.Tool{tool("x", good), tool("y", good), toolOf("b", "x", good), toolOf("b", "y", good)}, []string{
			`note duplicate_tools a:x: the servers "a" and "b" both offer "x"`,
		}},
		"names that differ in style": {[]doctor.Tool{tool("read_file", good), toolOf("b", "Read-File", good), toolOf("c", "readFile", good)}, []string{
			`note similar_names a:read_file: a:read_file and 2 other tools differ in the way their names are written only`,
		}},
		"one description": {[]doctor.Tool{tool("x", same), tool("y", same)}, []string{
			`note same_description a:x: a:x and a:y have the same description`,
		}},
		"no description":                   {[]doctor.Tool{tool("x", `"description":"",`+good), tool("y", `"description":7,`+good)}, nil},
		"the same arguments in one server": {[]doctor.Tool{tool("x", long), tool("y", long)}, nil},
		"few arguments in two servers":     {[]doctor.Tool{tool("x", good), toolOf("b", "y", good)}, nil},
		"many of the same, in another order": {[]doctor.Tool{tool("x", long), toolOf("b", "y", strings.Replace(long, `"inputSchema":{`, `"inputSchema":{"type":"object",`, 1))}, []string{
			`note same_schema a:x: a:x and b:y take the same arguments`,
		}},
		"a name that could act on a terminal": {[]doctor.Tool{tool("x\x1b", same), tool("y", same)}, []string{
			"note same_description a:x\x1b: " + `"a:x\x1b" and a:y have the same description`,
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { wantLines(t, doctor.Examine(servers(test.tools...)), test.want...) })
	}
}

func TestManyGroupsAreToldOfTogether(t *testing.T) {
	var tools []doctor.Tool
	for i := range 14 {
		tools = append(tools, tool(fmt.Sprint("tool", i), fmt.Sprintf(`"description":"Does thing %d.",%s`, i/2, good)))
	}
	findings := doctor.Examine(servers(tools...))
	const same = "note same_description a:tool"
	wantLines(t, findings, same+"0: a:tool0 and a:tool1 have", same+"2:", same+"4:", same+"6:", same+"8:",
		same+"10: 2 further groups of tools have the same description: a model")
	if got := strings.Join(findings[5].Tools, " "); got != "a:tool10 a:tool11 a:tool12 a:tool13" {
		t.Errorf("it concerns %s", got)
	}
}

func TestMoreToolsThanClientsTake(t *testing.T) {
	tests := map[string]struct {
		count  int
		client string
		want   []string
	}{
		"as many as Cursor takes": {80, "", nil},
		"more than Cursor takes":  {81, "", []string{"warning too_many_tools mcpServers: there are 81 tools, more than clients take of all servers together: Cursor 80; leave out what"}},
		"more than any takes":     {129, "", []string{"warning too_many_tools mcpServers: there are 129 tools, more than clients take of all servers together: Cursor 80, Windsurf 100 and VS Code 128;"}},
		"more than others take":   {81, "vscode", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var tools []doctor.Tool
			for i := range test.count {
				tools = append(tools, tool(fmt.Sprint("tool", i), good))
			}
			p := servers(tools...)
			p.Client = test.client
			wantLines(t, doctor.Examine(p), test.want...)
		})
	}
}

func TestTokensOfTools(t *testing.T) {
	if got := doctor.Tokens([]byte(`{ "name" : "x" }`)); got != 3 { // 12 bytes without the spaces
		t.Errorf("%d tokens", got)
	}
	if got := doctor.Tokens([]byte(`{"name":"xy"}`)); got != 4 {
		t.Errorf("%d tokens", got)
	}
	sizes := []doctor.Size{{"a", 1}, {"b", 3}, {"c", 3}, {"d", 2}}
	if got := fmt.Sprint(doctor.Biggest(sizes, 3), doctor.Biggest(sizes[:1], 3)); got != "[{b 3} {c 3} {d 2}] [{a 1}]" {
		t.Errorf("the biggest: %s", got)
	}
	big := tool("big", `"description":"`+strings.Repeat("x", 100_000)+`",`+good)
	wantLines(t, doctor.Examine(servers(tool("small", good), big)),
		"warning too_many_tokens mcpServers: the tools cost about 25036 tokens of the model's context; Claude Code warns of more than 25000; "+
			"leave out what you do not need, servers with --only and tools with --deny; the biggest tools are a:big, a:small")
	p := servers(tool("small", good), big)
	p.Client = "gemini"
	wantLines(t, doctor.Examine(p), "warning too_many_tokens mcpServers: the tools cost about 25036 tokens of the model's context; leave out")
}

// It is linear: a quadratic search would take minutes.
func TestManyToolsAreExaminedAtOnce(t *testing.T) {
	var tools []doctor.Tool
	for i := range 50_000 {
		tools = append(tools, toolOf(fmt.Sprint("server", i%10), fmt.Sprint("tool", i/2), `"description":"the same",`+good))
	}
	began := time.Now()
	if got := len(doctor.Examine(servers(tools...))); got == 0 {
		t.Error("nothing was found")
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
