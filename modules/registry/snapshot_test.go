package registry_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/registry"
)

func TestTheListIsTheDefinitionsInOrder(t *testing.T) {
	tests := []struct {
		name string
		set  map[string][][]byte
		want string
	}{
		{"no server", nil, `[]`},
		{"no tools", map[string][][]byte{"a": nil}, `[]`},
		{"one", map[string][][]byte{"a": definitionsNamed(`"t"`)}, `[{"name":"a:t"}]`},
		{"the file's order, then the server's", map[string][][]byte{"a": definitionsNamed(`"z"`, `"t"`), "b": definitionsNamed(`"y"`, `"x"`)}, `[{"name":"b:y"},{"name":"b:x"},{"name":"a:z"},{"name":"a:t"}]`},
		{"a server that the file does not have", map[string][][]byte{"c": definitionsNamed(`"t"`), "a": definitionsNamed(`"t"`)}, `[{"name":"a:t"}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRegistry(":", "b", "a")
			for key, definitions := range test.set {
				r.ReplaceTools(key, definitions)
			}
			if got := string(r.Snapshot().View(plain).ToolsJSON()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestALookupTakesTheWholePublicName(t *testing.T) {
	r := newRegistry(":", "a", "a:b")
	r.ReplaceTools("a", definitionsNamed(`"t:u"`, `"\u0076"`))
	r.ReplaceTools("a:b", definitionsNamed(`"t"`))
	s := r.Snapshot()
	for name, want := range map[string]string{"a:t:u": `"t:u" of a`, "a:v": `"\u0076" of a`, "a:b:t": `"t" of a:b`} {
		if e := lookup(t, s, name); fmt.Sprintf("%s of %s", e.RawName, e.Server) != want {
			t.Errorf("%q is %s of %s, want %s", name, e.RawName, e.Server, want)
		}
	}
	for _, name := range []string{"", "t:u", "a:t", "a:", "a", "A:t:u", `a:\u0076`, "a:b", "a:v "} {
		if e, ok := s.View(plain).Lookup([]byte(name)); ok || e != nil {
			t.Errorf("%q is %s of %s", name, e.RawName, e.Server)
		}
	}
}

func TestAListOfEntriesIsTheReadersOwn(t *testing.T) {
	r := newRegistry(":", "a")
	r.ReplaceTools("a", definitionsNamed(`"t"`, `"u"`))
	s := r.Snapshot()
	entries := s.Entries()
	slices.Reverse(entries)
	clear(entries)
	if got := publicNames(s); got != "a:t a:u" {
		t.Errorf("%q", got)
	}
}

func TestTenThousandTools(t *testing.T) {
	const servers, tools = 3, 10_000
	var order []string
	for i := range servers {
		order = append(order, "s"+strconv.Itoa(i))
	}
	r := newRegistry(":", order...)
	var raw []string
	for i := range tools {
		raw = append(raw, strconv.Quote("t"+strconv.Itoa(i)))
	}
	for _, key := range order {
		if n := r.ReplaceTools(key, definitionsNamed(raw...)); n != tools {
			t.Fatalf("%d tools of %s", n, key)
		}
	}
	s := r.Snapshot()
	for i, entry := range s.Entries() {
		server, tool := order[i/tools], raw[i%tools]
		if found := lookup(t, s, entry.Name); found != entry || entry.Server != server || string(entry.RawName) != tool {
			t.Fatalf("entry %d is %s of %s", i, entry.RawName, entry.Server)
		}
	}
	var listed []struct{ Name string }
	if err := json.Unmarshal(s.View(plain).ToolsJSON(), &listed); err != nil || len(listed) != servers*tools || listed[len(listed)-1].Name != "s2:t9999" {
		t.Errorf("%d listed: %v", len(listed), err)
	}
}

// expectedTool is a tool that the registry must list.
type expectedTool struct{ name, server, tool string }

// expectedList computes the list for raw names in the obvious way.
func expectedList(order []string, separator string, tools map[string][]string) (list []expectedTool, count map[string]int) {
	taken := map[string]bool{}
	count = map[string]int{}
	for _, key := range order {
		for _, raw := range tools[key] {
			text, isText := decodeName([]byte(raw))
			name := key + separator + text
			if !isText || text == "" || taken[name] {
				continue
			}
			taken[name] = true
			count[key]++
			list = append(list, expectedTool{name, key, raw})
		}
	}
	return list, count
}

func TestEveryPublicNameLeadsToItsServerAndItsTool(t *testing.T) {
	key := rapid.StringMatching(`[a:]{1,3}`)
	raw := rapid.SampledFrom([]string{`"a"`, `"\u0061"`, `":"`, `":a"`, `"a:a"`, `"a:"`, `"\ud800"`, `"\udfff"`, `""`, `7`, `{"name":"a"}`})
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.SliceOfNDistinct(key, 0, 5, rapid.ID).Draw(t, "keys")
		separator := rapid.SampledFrom([]string{":", "::", "", "a", "__"}).Draw(t, "separator")
		r, tools := newRegistry(separator, order...), map[string][]string{}
		var last string
		for range 2 * len(order) { // some are set twice, some never
			last = rapid.SampledFrom(order).Draw(t, "server")
			tools[last] = rapid.SliceOfN(raw, 0, 5).Draw(t, "tools")
			want, count := expectedList(order, separator, tools)
			if n := r.ReplaceTools(last, definitionsNamed(tools[last]...)); n != count[last] {
				t.Fatalf("%d tools of %q, want %d", n, last, count[last])
			}
			checkList(t, r.Snapshot(), want)
		}
	})
}

func checkList(t tb, s *registry.Snapshot, want []expectedTool) {
	t.Helper()
	var list []json.RawMessage
	if err := json.Unmarshal(s.View(plain).ToolsJSON(), &list); err != nil || len(list) != len(want) || len(s.Entries()) != len(want) {
		t.Fatalf("%s: %v, want %d tools", s.View(plain).ToolsJSON(), err, len(want))
	}
	for i, entry := range s.Entries() {
		if lookup(t, s, want[i].name) != entry || entry.Server != want[i].server || string(entry.RawName) != want[i].tool {
			t.Fatalf("%q is %s of %q, want %v", entry.Name, entry.RawName, entry.Server, want[i])
		}
		if string(list[i]) != string(entry.Definition) {
			t.Fatalf("listed is %s, want %s", list[i], entry.Definition)
		}
	}
}
