package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/servers"
)

// unusualJSON returns JSON that changes if it is decoded and encoded again.
func unusualJSON() []byte {
	return []byte("{ \"b\":1e400,\"a\" : 123456789012345678901234567890.10,\t\"a\":\"\\u0000\\ud800 \xff\",\r\n\"\\u00e9\":\"é\",\"x\":" +
		strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}")
}

func tools() contract[servers.Store] {
	return merge(replacing(), keeping())
}

func replacing() contract[servers.Store] {
	return contract[servers.Store]{
		"tools come in the order of servers, then of lists": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("z"), minimalServer("a")
			create(t, s, first, second)
			replaceTools(t, s, second.ID, tool("z"), tool("a"))
			replaceTools(t, s, first.ID, tool("m"), tool("b"), tool("m"))
			equal(t, namespaced(t, s), "z.m z.b z.m a.z a.a")
		},
		"tools are replaced, those of one server": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("b")
			create(t, s, first, second)
			replaceTools(t, s, first.ID, tool("x"), tool("y"))
			replaceTools(t, s, second.ID, tool("x"))
			replaceTools(t, s, first.ID, tool("y"), tool("z"), tool("x"))
			equal(t, namespaced(t, s), "a.y a.z a.x b.x")
			replaceTools(t, s, first.ID)
			equal(t, namespaced(t, s), "b.x")
		},
		"each part of a tool can be replaced": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			base := servers.Tool{Server: r.ID, Name: "x", Namespaced: "a.x", Description: "d", InputSchema: []byte("{}"), Definition: []byte("{}")}
			for what, change := range map[string]func(*servers.Tool){
				"name":        func(t *servers.Tool) { t.Name, t.Namespaced = "y", "a.y" },
				"description": func(t *servers.Tool) { t.Description = "e" },
				"schema":      func(t *servers.Tool) { t.InputSchema = []byte("{ }") },
				"no schema":   func(t *servers.Tool) { t.InputSchema = nil },
				"definition":  func(t *servers.Tool) { t.Definition = []byte("{ }") },
				"class":       func(t *servers.Tool) { t.Classified = true },
			} {
				want := base
				change(&want)
				for _, now := range []servers.Tool{base, want, base} {
					replaceTools(t, s, r.ID, now)
					if diff := cmp.Diff([]servers.Tool{now}, storedTools(t, s)); diff != "" {
						t.Errorf("%s: -want +got\n%s", what, diff)
					}
				}
			}
		},
		"a tool is of the server, whatever it says": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("b")
			create(t, s, first, second)
			wrong := tool("x")
			wrong.Server, wrong.Namespaced = second.ID, "b.x"
			given := []servers.Tool{wrong}
			replaceTools(t, s, first.ID, given...)
			equal(t, given[0].Namespaced, "b.x") // the caller's slice is unchanged
			equal(t, storedTools(t, s)[0].Server, first.ID)
			equal(t, namespaced(t, s), "a.x")
		},
	}
}

func keeping() contract[servers.Store] {
	return contract[servers.Store]{
		"raw JSON is read back byte for byte": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			want := servers.Tool{
				Server: r.ID, Name: OddText, Namespaced: "a." + OddText, Description: OddText,
				InputSchema: unusualJSON(), Definition: unusualJSON(), Classified: true,
			}
			replaceTools(t, s, r.ID, want)
			equal(t, storedTools(t, s), []servers.Tool{want})
		},
		"an empty schema is none": func(t *testing.T, s servers.Store) {
			r, empty := minimalServer("a"), tool("x")
			create(t, s, r)
			empty.InputSchema = []byte{}
			replaceTools(t, s, r.ID, empty)
			equal(t, storedTools(t, s)[0].InputSchema, []byte(nil))
		},
		"a definition may be large": func(t *testing.T, s servers.Store) {
			r, large := minimalServer("a"), tool("x")
			create(t, s, r)
			large.Definition = bytes.Repeat([]byte(`{"a":"é"}`), 1<<20)
			large.Description = strings.Repeat("é", 1<<20)
			replaceTools(t, s, r.ID, large)
			got := storedTools(t, s)[0]
			if !bytes.Equal(got.Definition, large.Definition) || got.Description != large.Description {
				t.Errorf("%d bytes and %d came back", len(got.Definition), len(got.Description))
			}
		},
		"invalid characters are replaced in names": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			replaceTools(t, s, r.ID, servers.Tool{Name: "x\x00", Description: "\xff", Definition: []byte("\x00\xff")})
			want := servers.Tool{Server: r.ID, Name: "x\uFFFD", Namespaced: "a.x\uFFFD", Description: "\uFFFD", Definition: []byte("\x00\xff")}
			equal(t, storedTools(t, s), []servers.Tool{want})
		},
		"a list may be long": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			all := Tools(1000)
			replaceTools(t, s, r.ID, all...)
			got := storedTools(t, s)
			equal(t, len(got), len(all))
			for i := range got {
				if got[i].Name != all[i].Name || !bytes.Equal(got[i].Definition, all[i].Definition) {
					t.Fatalf("tool %d is %s", i, got[i].Name)
				}
			}
		},
	}
}

// Tools returns n tools of typical size.
func Tools(n int) []servers.Tool {
	all := make([]servers.Tool, n)
	schema := `{"type":"object","properties":{"path":{"type":"string","description":"` + strings.Repeat("where ", 50) + `"}}}`
	for i := range all {
		name := fmt.Sprintf("tool_%05d", i)
		all[i] = servers.Tool{
			Name: name, Description: strings.Repeat("what it does ", 20), InputSchema: []byte(schema),
			Definition: fmt.Appendf(nil, `{"name":%q,"inputSchema":%s}`, name, schema),
		}
	}
	return all
}
