package registry_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/testutil/clienttest"
)

// clientsWithAliases returns the clients with a naming rule.
func clientsWithAliases() map[string]clienttest.Row {
	rows := clienttest.Rows()
	maps.DeleteFunc(rows, func(_ string, row clienttest.Row) bool { return row.Accepts == "" })
	return rows
}

func TestAClientWithARuleSeesAliasesThatItTakes(t *testing.T) {
	tests := map[string]struct{ client, key, tool, want string }{
		"a usual name":                        {"claude-ai", "files", "read_file", "files__read_file"},
		"a dash stays where it may":           {"claude-ai", "my-files", "read-file", "my-files__read-file"},
		"a dash goes where it must":           {"cursor-vscode", "my-files", "read-file", "my_files__read_file"},
		"a dot stays for Gemini":              {"gemini-cli-mcp-client", "a.b", "c.d", "a.b__c.d"},
		"other characters go":                 {"claude-ai", "a:b", "ärger mit/den.Namen😀", "a_b___rger_mit_den_Namen_"},
		"a digit does not come first":         {"gemini-cli-mcp-client", "3d", "x", "_3d__x"},
		"a digit may come first":              {"claude-ai", "3d", "x", "3d__x"},
		"the longest that is left whole":      {"claude-ai", "k", strings.Repeat("x", 61), "k__" + strings.Repeat("x", 61)},
		"a longer one is cut in the middle":   {"claude-ai", "k", strings.Repeat("x", 31) + strings.Repeat("y", 31), "k__xxxxxxxxxxxxxxxxxxxxxxxxx_e61c22_yyyyyyyyyyyyyyyyyyyyyyyyyyyy"},
		"room is left for the client's words": {"claude-code", "server", strings.Repeat("n", 50), "server__nnnnnnnnnnnn_67fadc_nnnnnnnnnnnnnnnnnnn"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRegistry("auto", test.key)
			raw, _ := json.Marshal(test.tool)
			r.ReplaceTools(test.key, definitionsNamed(string(raw)))
			view := r.Snapshot().View(registry.Auto.NamingFor(test.client))
			if got := view.Names(); len(got) != 1 || got[0] != test.want {
				t.Fatalf("%q, want %q", got, test.want)
			}
			if got := string(view.ToolsJSON()); got != `[{"name":"`+test.want+`"}]` {
				t.Errorf("list: %s", got)
			}
		})
	}
}

func TestOnlyKnownNamesOfClientsHaveARule(t *testing.T) {
	for _, client := range []string{"", "Claude-AI", "claude", "claude-ai ", "claude-ai (via mcp-remote 0.1.37)", "cursor", "unknown"} {
		r := newRegistry("auto", "a.b")
		r.ReplaceTools("a.b", definitionsNamed(`"c d"`))
		if got := r.Snapshot().View(registry.Auto.NamingFor(client)).Names(); got[0] != "a.b:c d" {
			t.Errorf("%q sees %q", client, got)
		}
	}
}

func TestASeparatorOfTheUsersChoiceIsTheSameToAll(t *testing.T) {
	r := newRegistry("/", "a")
	r.ReplaceTools("a", definitionsNamed(`"c d"`))
	view := r.Snapshot().View(registry.Separator("/").NamingFor("claude-ai"))
	if got := view.Names(); got[0] != "a/c d" {
		t.Errorf("%q", got)
	}
	if e, ok := view.Lookup([]byte("a:c d")); !ok || e.Name != "a/c d" {
		t.Errorf("the canonical name finds %v", e)
	}
}

func TestCollidingAliasesGetAHash(t *testing.T) {
	r := newRegistry("auto", "a", "a.b", "a_b")
	r.ReplaceTools("a", definitionsNamed(`"plain"`, `"b__c"`))
	r.ReplaceTools("a.b", definitionsNamed(`"c"`))
	r.ReplaceTools("a_b", definitionsNamed(`"c"`, `"c_b2a25f"`))
	got := strings.Join(r.Snapshot().View(registry.Auto.NamingFor("claude-ai")).Names(), " ")
	if want := "a__plain a__b__c a_b__c_b2a25f a_b__c_b42d7d a_b__c_b2a25f_1bda79"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// realNames are "package tool" of public MCP servers on the npm registry.
//
//go:embed testdata/names.txt
var realNames string

func TestAThousandRealToolsAreTakenByEveryClient(t *testing.T) {
	var keys []string
	tools := make(map[string][]string)
	for line := range strings.Lines(realNames) {
		pkg, tool, _ := strings.Cut(strings.TrimSpace(line), " ")
		key := strings.TrimPrefix(pkg[strings.LastIndex(pkg, "/")+1:], "@")
		if tools[key] == nil {
			keys = append(keys, key)
		}
		tools[key] = append(tools[key], fmt.Sprintf("%q", tool))
	}
	r := newRegistry("auto", keys...)
	total := 0
	for _, key := range keys {
		total += r.ReplaceTools(key, definitionsNamed(tools[key]...))
	}
	if total < 1000 {
		t.Fatalf("%d tools", total)
	}
	for client, row := range clientsWithAliases() {
		t.Run(client, func(t *testing.T) {
			checkView(t, r.Snapshot(), row)
		})
	}
}

// checkView checks that the client accepts all names, that they are unique, and that each
// tool is found by its name and its canonical name.
func checkView(t tb, s *registry.Snapshot, row clienttest.Row) {
	t.Helper()
	clientInfo, pattern := row.Info, regexp.MustCompile(row.Accepts)
	view := s.View(registry.Auto.NamingFor(clientInfo))
	entries, names := s.Entries(), view.Names()
	if len(names) != len(entries) {
		t.Fatalf("%d names of %d tools", len(names), len(entries))
	}
	for i, e := range entries {
		if !pattern.MatchString(names[i]) {
			t.Fatalf("%s refuses %q, of %q", clientInfo, names[i], e.Canonical)
		}
		for _, name := range []string{names[i], e.Canonical} {
			if found, ok := view.Lookup([]byte(name)); !ok || found != e {
				t.Fatalf("%q finds %v, not %q", name, found, e.Canonical)
			}
		}
		if !registry.Auto.NamingFor(clientInfo).MayOwn(e.Server, names[i]) {
			t.Fatalf("%q could not be of %q", names[i], e.Server)
		}
	}
	var listed []struct{ Name string }
	if err := json.Unmarshal(view.ToolsJSON(), &listed); err != nil || len(listed) != len(names) {
		t.Fatalf("the list: %v", err)
	}
	for i, tool := range listed {
		if tool.Name != names[i] {
			t.Fatalf("the list has %q, not %q", tool.Name, names[i])
		}
	}
}

func TestAliasesAreUniqueAndStable(t *testing.T) {
	text := rapid.OneOf(rapid.StringMatching(`[a-c_.:]{1,4}`), rapid.StringMatching(`[ab_-]{20,80}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		tools := make(map[string][]string)
		for _, key := range rapid.SliceOfNDistinct(text, 1, 4, rapid.ID[string]).Draw(t, "keys") {
			tools[key] = rapid.SliceOfNDistinct(text, 1, 6, rapid.ID[string]).Draw(t, "tools")
		}
		row := clientsWithAliases()[rapid.SampledFrom(slices.Sorted(maps.Keys(clientsWithAliases()))).Draw(t, "client")]
		first, second := snapshotOf(t, tools), snapshotOf(t, tools)
		checkView(t, first, row)
		naming := registry.Auto.NamingFor(row.Info)
		if got, again := first.View(naming).Names(), second.View(naming).Names(); !slices.Equal(got, again) {
			t.Fatalf("%q, then %q", got, again)
		}
	})
}

// snapshotOf returns a snapshot of servers with those tools.
func snapshotOf(t tb, tools map[string][]string) *registry.Snapshot {
	t.Helper()
	var keys []string
	for key := range tools {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	r := newRegistry("auto", keys...)
	for _, key := range keys {
		var raw []string
		for _, tool := range tools[key] {
			if tool != "" && utf8.ValidString(tool) {
				quoted, _ := json.Marshal(tool)
				raw = append(raw, string(quoted))
			}
		}
		r.ReplaceTools(key, definitionsNamed(raw...))
	}
	return r.Snapshot()
}

func TestAnAliasIsTheSameWhicheverOtherServersRun(t *testing.T) {
	tests := map[string]struct {
		keys  []string
		tools map[string]string
	}{
		"keys that become one":              {[]string{"a.b", "a_b"}, map[string]string{"a.b": `"x"`, "a_b": `"x"`}},
		"a key that another one begins":     {[]string{"a", "a__b"}, map[string]string{"a": `"b__x"`, "a__b": `"x"`}},
		"the same in the order of the file": {[]string{"a__b", "a"}, map[string]string{"a": `"b__x"`, "a__b": `"x"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			naming := registry.Auto.NamingFor("claude-ai")
			r := newRegistry("auto", test.keys...)
			for _, key := range test.keys {
				r.ReplaceTools(key, definitionsNamed(test.tools[key]))
			}
			both := r.Snapshot().View(naming).Names()
			for i, key := range test.keys {
				alone := newRegistry("auto", test.keys...)
				alone.ReplaceTools(key, definitionsNamed(test.tools[key]))
				if got := alone.Snapshot().View(naming).Names(); got[0] != both[i] {
					t.Errorf("%s alone has %q, with the other %q", key, got[0], both[i])
				}
			}
		})
	}
}
