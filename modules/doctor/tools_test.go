package doctor_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/config/clienttable"
	"mcp-aggregator/modules/doctor"
	"mcp-aggregator/testutil/clienttest"
)

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

func TestManyGroupsAreReportedTogether(t *testing.T) {
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
	const warning = "warning too_many_tools mcpServers: there are %d tools, more than clients take of all servers together: %s;"
	var passed []string // the clients whose limits are exceeded, with those
	for _, l := range toolLimits() {
		limit := fmt.Sprintf("%s %d", l.title, l.most)
		t.Run("as many as "+l.title+" takes", func(t *testing.T) {
			var want []string
			if len(passed) > 0 {
				want = append(want, fmt.Sprintf(warning, l.most, enumerated(passed)))
			}
			wantLines(t, doctor.Examine(manyTools(l.most, "")), want...)
			wantLines(t, doctor.Examine(manyTools(l.most, l.key)))
		})
		passed = append(passed, limit)
		t.Run("more than "+l.title+" takes", func(t *testing.T) {
			wantLines(t, doctor.Examine(manyTools(l.most+1, "")), fmt.Sprintf(warning, l.most+1, enumerated(passed)))
			wantLines(t, doctor.Examine(manyTools(l.most+1, l.key)), fmt.Sprintf(warning, l.most+1, limit))
		})
	}
}

type toolLimit struct {
	key, title string
	most       int
}

// toolLimits returns the clients that take only so many tools, the lowest limit first.
func toolLimits() (limits []toolLimit) {
	for key, row := range clienttest.Rows() {
		if row.Tools > 0 {
			client, _ := clienttable.Find(key)
			limits = append(limits, toolLimit{key, client.Title, row.Tools})
		}
	}
	slices.SortFunc(limits, func(a, b toolLimit) int { return cmp.Compare(a.most, b.most) })
	return limits
}

func manyTools(n int, client string) doctor.Input {
	var tools []doctor.Tool
	for i := range n {
		tools = append(tools, tool(fmt.Sprint("tool", i), good))
	}
	p := servers(tools...)
	p.Client = client
	return p
}

func enumerated(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
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

// examineTime returns how long n tools take to examine.
func examineTime(t *testing.T, n int) time.Duration {
	t.Helper()
	var tools []doctor.Tool
	for i := range n {
		tools = append(tools, toolOf(fmt.Sprint("server", i%10), fmt.Sprint("tool", i/2), `"description":"the same",`+good))
	}
	input := servers(tools...)
	began := time.Now()
	if len(doctor.Examine(input)) == 0 {
		t.Error("nothing was found")
	}
	return time.Since(began)
}

// Examining is linear in the number of tools: many at once take about as long as the same
// number in small parts. Both do seconds of the same work, so that the comparison depends
// little on the speed and the load of the machine; a quadratic search takes minutes.
func TestTheTimeToExamineIsLinearInTheNumberOfTools(t *testing.T) {
	const part, parts = 2000, 25
	var inParts time.Duration
	for range parts {
		inParts += examineTime(t, part)
	}
	if atOnce := examineTime(t, part*parts); atOnce > 5*inParts {
		t.Errorf("%d tools took %v at once, and %v in %d parts", part*parts, atOnce, inParts, parts)
	}
}
