package registry_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/registry"
)

func toolsOf(names ...string) []registry.NamedTool {
	var tools []registry.NamedTool
	for _, name := range names {
		_, own, _ := strings.Cut(name, ":")
		tools = append(tools, registry.NamedTool{Name: name, OriginalName: own})
	}
	return tools
}

func TestTheNearestNames(t *testing.T) {
	all := toolsOf("files:read_file", "files:write_file", "files:list_directory", "github:create_issue", "github:create_branch",
		"gitlab:create_issue", "memory:read_graph", "x:y", "x:sya")
	for what, test := range map[string]struct{ name, want string }{
		"a letter is missing":           {"github:create_isue", "github:create_issue gitlab:create_issue"},
		"a letter of the server":        {"githb:create_branch", "github:create_branch"},
		"two are in the wrong order":    {"memory:raed_graph", "memory:read_graph"},
		"two of a short name are":       {"x:say", "x:sya"},
		"another separator":             {"files/list_directory", "files:list_directory"},
		"the separator of an alias":     {"files__list_directory", "files:list_directory"},
		"other cases":                   {"Files:Read_File", "files:read_file files:write_file"},
		"no server":                     {"create_issue", "github:create_issue gitlab:create_issue"},
		"no server, and a wrong letter": {"list_directori", "files:list_directory"},
		"another server":                {"weather:write_file", "files:write_file"},
		"nothing is similar":            {"weather:forecast", ""},
		"as short as it gets":           {"q:y", "x:y"},
		"an empty name":                 {"", ""},
		"a name that is too long":       {strings.Repeat("files:read_file", 100), ""},
	} {
		t.Run(what, func(t *testing.T) {
			if got := strings.Join(registry.Nearest(test.name, slices.Values(all)), " "); got != test.want {
				t.Errorf("%s: got %q, want %q", test.name, got, test.want)
			}
		})
	}
}

func TestThreeNamesAreSuggestedAtMostTheNearestFirst(t *testing.T) {
	all := toolsOf("s:tool_aaxx", "s:tool_axxx", "s:tool_xxxx", "s:tool_aaax", "s:tool_aaxx2", "s:tool_aaaa")
	want := []string{"s:tool_aaaa", "s:tool_aaax", "s:tool_aaxx"}
	if got := registry.Nearest("s:tool_aaaa", slices.Values(all)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The distance must equal that of the textbook algorithm, up to the limit.
func TestDistancesAreThoseOfTheWholeTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching(`[ab]{4,24}`).Draw(t, "a"), rapid.StringMatching(`[ab]{0,24}`).Draw(t, "b")
		got := registry.Nearest(a, slices.Values([]registry.NamedTool{{Name: b, OriginalName: b}}))
		if near := distance(a, b) <= min((len(a)+2)/4, 4); near != (got != nil) {
			t.Fatalf("%q, %q: distance %d, got %q", a, b, distance(a, b), got)
		}
	})
}

func distance(a, b string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			switch {
			case i == 0 || j == 0:
				table[i][j] = i + j
			case a[i-1] == b[j-1]:
				table[i][j] = table[i-1][j-1]
			default:
				table[i][j] = 1 + min(table[i-1][j-1], table[i-1][j], table[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(a)][len(b)]
}

// A client that calls one unknown name after the other must not use up memory.
func TestTheNearestOfManyNamesCostNoMemory(t *testing.T) {
	var all []registry.NamedTool
	for i := range 10_000 {
		all = append(all, registry.NamedTool{Name: fmt.Sprintf("server%d:tool_%d", i%50, i), OriginalName: fmt.Sprintf("tool_%d", i)})
	}
	tools := slices.Values(all)
	if n := testing.AllocsPerRun(1, func() { registry.Nearest("server7:tol_1007", tools) }); n > 20 {
		t.Errorf("%v allocations", n)
	}
}

func TestOnlyToolsThatTheCallerSeesAreSuggested(t *testing.T) {
	r := registry.NewToolRegistry(registry.Order{"a.b"}, registry.Auto, registry.Filter{Deny: []string{"*:secret_2"}}, slog.New(slog.DiscardHandler))
	r.ReplaceTools("a.b", [][]byte{[]byte(`{"name":"secret_1"}`), []byte(`{"name":"secret_2"}`)})
	for client, want := range map[string]string{"": "a.b:secret_1", "claude-ai": "a_b__secret_1"} {
		got := r.Snapshot().View(registry.Auto.NamingFor(client)).Nearest("a.b:secret_3")
		if !slices.Equal(got, []string{want}) {
			t.Errorf("client %q: %q", client, got)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	var all []registry.NamedTool
	for i := range 10_000 {
		all = append(all, registry.NamedTool{Name: fmt.Sprintf("server%d:create_resource_%d", i%50, i), OriginalName: fmt.Sprintf("create_resource_%d", i)})
	}
	for b.Loop() {
		registry.Nearest("server7:create_resource_of_the_day", slices.Values(all))
	}
}
