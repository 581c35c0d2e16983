package lean_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"mcp-aggregator/modules/lean"
)

// definition is a definition as decoded by a client.
type definition struct {
	Name, Title, Description string
	InputSchema              *jsonschema.Schema
	Annotations              map[string]bool
}

func definitions(tb testing.TB, listing lean.Listing) (list []definition) {
	tb.Helper()
	if err := json.Unmarshal(listing.Array(), &list); err != nil || len(list) != 3 {
		tb.Fatalf("%d definitions: %v: %s", len(list), err, listing.Array())
	}
	return list
}

// numbered returns count servers with purposes of the given length.
func numbered(count, purpose int) (servers []lean.Server) {
	for i := range count {
		text := strings.Repeat("purposes ", purpose/9+1)[:purpose]
		servers = append(servers, lean.Server{Name: fmt.Sprintf("server-number-%03d", i), Description: text, Tools: 3})
	}
	return servers
}

func TestDefinitionsAreSmall(t *testing.T) {
	t.Parallel()
	hostile := numbered(30, 100)
	for i := range hostile {
		hostile[i].Name += strings.Repeat("\"\n\u202e天", 1000)
		hostile[i].Description = strings.Repeat("\"\\\x1b天 ", 100000)
	}
	for name, servers := range map[string][]lean.Server{
		"no server": nil, "three": numbered(3, 500), "fifty": numbered(50, 100), "all of a registry": numbered(900, 100),
		"hostile texts": hostile,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listing := lean.Definitions(servers)
			list := definitions(t, listing)
			quoted, err := json.Marshal(list[0].Description)
			if err != nil || tokens(len(quoted)) > 300 || tokens(len(listing.Array())) > 1000 {
				t.Errorf("%d tokens, %d of them the description %s", tokens(len(listing.Array())), tokens(len(quoted)), quoted)
			}
			if strings.ContainsAny(list[0].Description, "\u202e\x1b\r") || strings.Count(list[0].Description, "\n") > len(servers) {
				t.Errorf("unclean: %q", list[0].Description)
			}
		})
	}
}

func TestTheDescriptionNamesTheServers(t *testing.T) {
	t.Parallel()
	const after = "Then use call_tool. "
	described := func(servers []lean.Server) string {
		_, list, _ := strings.Cut(definitions(t, lean.Definitions(servers))[0].Description, after)
		return list
	}
	for name, c := range map[string]struct {
		servers []lean.Server
		want    string
	}{
		"none yet": {nil, "No server is connected yet."},
		"sorted, with the first sentence of what they are for": {[]lean.Server{
			{Name: "web", Title: "Web", Instructions: "Fetches pages. Be kind.", Tools: 1},
			{Name: "forge", Title: "Forge", Description: "Issues of all projects.\nMore", Tools: 9},
			{Name: "empty", Description: "Nothing."},
			{Name: "plain", Tools: 1},
			{Name: "titled", Title: "A title", Tools: 1},
		}, "Servers:\nforge: Issues of all projects.\nplain\ntitled: A title\nweb: Fetches pages."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := described(c.servers); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
	t.Run("purposes are cut alike", func(t *testing.T) {
		t.Parallel()
		lengths := map[int]bool{}
		lines := strings.Split(described(numbered(20, 150)), "\n")
		for _, line := range lines[1:] {
			lengths[len(line)] = true
		}
		if len(lines) != 21 || len(lengths) != 1 || !strings.HasSuffix(lines[1], "…") {
			t.Errorf("%q", lines)
		}
	})
	t.Run("a short purpose leaves room for the others", func(t *testing.T) {
		t.Parallel()
		servers := numbered(20, 150)
		servers[3].Description = "Short."
		if long, short := len(described(numbered(20, 150))), len(described(servers)); short < long-30 {
			t.Errorf("%d bytes, %d with a short one", long, short)
		}
	})
	t.Run("what has no room is counted", func(t *testing.T) {
		t.Parallel()
		lines := strings.Split(described(numbered(900, 100)), "\n")
		if want := fmt.Sprintf("+%d more", 900-(len(lines)-2)); len(lines) < 40 || lines[len(lines)-1] != want {
			t.Errorf("%d lines, the last is %q, not %q", len(lines), lines[len(lines)-1], want)
		}
	})
}

func TestTheVersionFollowsTheDefinitions(t *testing.T) {
	t.Parallel()
	servers := numbered(5, 50)
	first := lean.Definitions(servers)
	slices.Reverse(servers)
	servers[0].Tools++
	if again := lean.Definitions(servers); again.Version != first.Version || string(again.Elements) != string(first.Elements) {
		t.Error("another order, or another number of tools, changes the definitions")
	}
	for name, change := range map[string]func(*lean.Server){
		"a name": func(s *lean.Server) { s.Name = "other" }, "a purpose": func(s *lean.Server) { s.Description = "Other." },
		"a hint": func(s *lean.Server) { s.Hints.OpenWorld = true }, "no tools": func(s *lean.Server) { s.Tools = 0 },
	} {
		changed := numbered(5, 50)
		change(&changed[2])
		if lean.Definitions(changed).Version == first.Version {
			t.Errorf("%s does not change the version", name)
		}
	}
}

func TestHintsOfCallToolAreThoseOfAllTools(t *testing.T) {
	t.Parallel()
	reads, deletes := `{"annotations":{"readOnlyHint":true,"destructiveHint":true,"openWorldHint":false}}`, `{"annotations":{"openWorldHint":false}}`
	for name, c := range map[string]struct {
		tools []string
		want  lean.Hints
	}{
		"no tool":               {nil, lean.Hints{Destructive: true, OpenWorld: true}},
		"a tool without hints":  {[]string{`{}`}, lean.Hints{Destructive: true, OpenWorld: true}},
		"one that only reads":   {[]string{reads}, lean.Hints{ReadOnly: true}},
		"one that deletes, too": {[]string{reads, deletes, reads}, lean.Hints{Destructive: true}},
		"one that adds":         {[]string{`{"annotations":{"destructiveHint":false}}`}, lean.Hints{OpenWorld: true}},
		"hints of another type": {[]string{`{"annotations":{"readOnlyHint":"true"}}`}, lean.Hints{Destructive: true, OpenWorld: true}},
		"malformed annotations": {[]string{`{"annotations":[1]}`}, lean.Hints{Destructive: true, OpenWorld: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []lean.Hints
			for _, definition := range c.tools {
				all = append(all, lean.HintsOf([]byte(definition)))
			}
			got := lean.Combined(all...)
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			servers := []lean.Server{{Name: "a", Tools: 1, Hints: got}}
			list := definitions(t, lean.Definitions(servers))
			if a := list[2].Annotations; a["readOnlyHint"] != got.ReadOnly || a["destructiveHint"] != got.Destructive || a["openWorldHint"] != got.OpenWorld {
				t.Errorf("call_tool says %v", a)
			}
			if !list[0].Annotations["readOnlyHint"] || !list[1].Annotations["readOnlyHint"] {
				t.Error("search_tools and describe_tools only read")
			}
		})
	}
}

func TestDefinitionsHaveSchemasAndPinnedToolsFollow(t *testing.T) {
	t.Parallel()
	listing := lean.Definitions(nil)
	for _, d := range definitions(t, listing) {
		if _, err := d.InputSchema.Resolve(nil); err != nil || !lean.Owns(d.Name) || d.InputSchema.Type != "object" {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	if lean.Owns("forge.search_tools") {
		t.Error("a server's tool is mistaken for one of the three")
	}
	want := "[" + string(listing.Elements) + `,{"name":"x"},{"name":"y"}]`
	if got := string(listing.Array([]byte(`{"name":"x"}`), []byte(`{"name":"y"}`))); got != want {
		t.Errorf("got %s", got)
	}
}
