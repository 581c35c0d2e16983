package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/registry"
)

func TestServersComeAndGo(t *testing.T) {
	r := newRegistry("auto.")
	changes := r.Subscribe(t.Context())
	arrange := func(order ...string) func() { return func() { r.Arrange(order) } }
	set := func(key string, raw ...string) func() { return func() { r.Set(key, named(raw...)) } }
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"tools of a server that is not there", set("a", `"t"`), ""},
		{"it comes", arrange("a"), "a.t"},
		{"another one comes", arrange("a", "b"), "a.t"},
		{"with tools", set("b", `"x.y"`, `"\u0075"`), "a.t b.x.y b.u"},
		{"in another order", arrange("b", "a"), "b.x.y b.u a.t"},
		{"one is renamed in its place", func() { r.Rename("b", "c") }, "c.x.y c.u a.t"},
		{"to the name that it has", func() { r.Rename("c", "c") }, "c.x.y c.u a.t"},
		{"one that is not there is renamed", func() { r.Rename("x", "y") }, "c.x.y c.u a.t"},
		{"one without tools is renamed", func() { arrange("c", "d", "a")(); r.Rename("d", "e"); set("e", `"t"`)() }, "c.x.y c.u e.t a.t"},
		{"one goes", arrange("a"), "a.t"},
		{"and comes again, without its tools", arrange("a", "c", "b"), "a.t"},
		{"all go", arrange(), ""},
	} {
		step.do()
		if got := publicNames(r.Snapshot()); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
		if !hasChanged(changes) && step.want != "" {
			t.Errorf("%s: nobody is told", step.name)
		}
	}
}

func TestTheOrderIsCopied(t *testing.T) {
	r := newRegistry("auto.")
	order := registry.Order{"a", "b"}
	r.Arrange(order)
	r.Set("a", named(`"t"`))
	r.Set("b", named(`"t"`))
	r.Rename("a", "c")
	if order[0] != "a" {
		t.Error("it is changed")
	}
	order[1] = "x"
	r.Set("c", named(`"u"`))
	if got := publicNames(r.Snapshot()); got != "c.u b.t" {
		t.Error(got)
	}
}

func TestARenamedToolIsTheSame(t *testing.T) {
	r := newRegistry("auto.", "a")
	r.Set("a", lines(`{"x":1e400,"name":"\u0074.\/","a":1,"a":2}`))
	r.Rename("a", "longer")
	e := lookup(t, r.Snapshot(), "longer.t./")
	if e.Server != "longer" || e.Own != "t./" || string(e.Tool) != `"\u0074.\/"` || string(e.Definition) != `{"x":1e400,"name":"longer.\u0074.\/","a":1,"a":2}` {
		t.Errorf("%+v %s", e, e.Definition)
	}
}

func TestDottedNamesHaveAliases(t *testing.T) {
	r := newRegistry("auto.", "a", "b")
	r.Set("a", named(`"t"`, `"x.y"`))
	r.Set("b", named(`"t"`))
	for client, want := range map[string]string{
		"":                      "a.t a.x.y b.t",
		"claude-ai":             "a__t a__x_y b__t",
		"gemini-cli-mcp-client": "a__t a__x.y b__t",
	} {
		naming := registry.Dotted.NamingFor(client)
		view := r.Snapshot().View(naming)
		if got := strings.Join(view.Names(), " "); got != want && client != "gemini-cli-mcp-client" {
			t.Errorf("%s: %s", client, got)
		}
		for _, name := range append(view.Names(), "a.t", "a.x.y", "b.t") {
			if e, ok := view.Lookup([]byte(name)); !ok || !naming.MayOwn(e.Server, name) {
				t.Errorf("%s: %s is not found", client, name)
			}
		}
		if _, ok := view.Lookup([]byte("a:t")); ok {
			t.Errorf("%s: it is found by a colon", client)
		}
	}
}

// Renaming servers and putting them in another order changes nothing but names.
func TestToolsFollowTheirServers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRegistry("auto.")
		var keys []string // of servers; the tool of each is called as the server was at first
		tools := make(map[string]string)
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"come": func(*rapid.T) {
				key := fmt.Sprint("s", next)
				next++
				keys = append(keys, key)
				tools[key] = "t" + key
				r.Arrange(keys)
				r.Set(key, named(`"`+tools[key]+`"`))
			},
			"go": func(t *rapid.T) {
				if len(keys) > 0 {
					i := rapid.IntRange(0, len(keys)-1).Draw(t, "which")
					keys = append(append([]string{}, keys[:i]...), keys[i+1:]...)
					r.Arrange(keys)
				}
			},
			"rename": func(t *rapid.T) {
				if len(keys) > 0 {
					i := rapid.IntRange(0, len(keys)-1).Draw(t, "which")
					key := fmt.Sprint("s", next)
					next++
					r.Rename(keys[i], key)
					tools[key], keys[i] = tools[keys[i]], key
				}
			},
			"": func(t *rapid.T) {
				var want []string
				for _, key := range keys {
					want = append(want, key+"."+tools[key])
				}
				if got := publicNames(r.Snapshot()); got != strings.Join(want, " ") {
					t.Fatalf("%s, want %s", got, want)
				}
			},
		})
	})
}
