package registry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/registry"
)

func TestAPublicNameBelongsToTheFirstServerInTheFile(t *testing.T) {
	type set struct {
		key   string
		tools []string
	}
	const warning = `level=WARN msg="tool left out: its name is taken" name=`
	tests := []struct {
		name     string
		sets     []set // the warnings of the last one are compared
		want     string
		warnings []string
	}{
		{
			"two servers",
			[]set{{"a", []string{`"b:t"`, `"u"`}}, {"a:b", []string{`"t"`, `"u"`}}},
			"a:b:t a:u a:b:u",
			[]string{warning + `a:b:t kept="\"b:t\" of server \"a\"" left_out="\"t\" of server \"a:b\""`},
		},
		{
			"two servers, the first in the file comes last",
			[]set{{"a:b", []string{`"t"`, `"u"`}}, {"a", []string{`"b:t"`}}},
			"a:b:t a:b:u",
			[]string{warning + `a:b:t kept="\"b:t\" of server \"a\"" left_out="\"t\" of server \"a:b\""`},
		},
		{
			"one server",
			[]set{{"a", []string{`"t"`, `"u"`, `"\u0074"`}}},
			"a:t a:u",
			[]string{warning + `a:t kept="\"t\" of server \"a\"" left_out="\"\\u0074\" of server \"a\""`},
		},
		{
			"one server three times",
			[]set{{"a", []string{`"t"`, `"t"`, `"t"`}}},
			"a:t",
			slices.Repeat([]string{warning + `a:t kept="\"t\" of server \"a\"" left_out="\"t\" of server \"a\""`}, 2),
		},
		{
			"a name too long for a message",
			[]set{{"a", []string{`"` + strings.Repeat("t", 1000) + `"`, `"` + strings.Repeat("t", 1000) + `"`}}},
			"a:" + strings.Repeat("t", 1000),
			[]string{warning + "a:" + strings.Repeat("t", 298) + `... kept="\"` + strings.Repeat("t", 299) + `... of server \"a\"" left_out="\"` + strings.Repeat("t", 299) + `... of server \"a\""`},
		},
		{"names that differ in a byte", []set{{"a", []string{`"t"`, `"T"`, `"t "`}}}, "a:t a:T a:t ", []string{""}},
		{
			"a third server does not warn again",
			[]set{{"a", []string{`"b:t"`}}, {"a:b", []string{`"t"`}}, {"c", []string{`"t"`}}},
			"a:b:t c:t",
			[]string{""},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, log := newRegistryWithLog([]string{"a", "a:b", "c"}, ":")
			for _, s := range test.sets {
				log.Reset()
				r.ReplaceTools(s.key, definitionsNamed(s.tools...))
			}
			if got := publicNames(r.Snapshot()); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if got := log.takeLines(); !slices.Equal(got, test.warnings) {
				t.Errorf("warnings %q, want %q", got, test.warnings)
			}
		})
	}
}

func TestANameIsFreeAgainWhenItsOwnerIsGone(t *testing.T) {
	r := newRegistry(":", "a", "a:b")
	r.ReplaceTools("a", definitionsNamed(`"b:t"`))
	if n := r.ReplaceTools("a:b", definitionsNamed(`"t"`, `"u"`)); n != 1 {
		t.Errorf("%d tools, want the one whose name is free", n)
	}
	r.RemoveTools("a")
	if e := lookup(t, r.Snapshot(), "a:b:t"); e.Server != "a:b" || string(e.RawName) != `"t"` {
		t.Errorf("%s of %s", e.RawName, e.Server)
	}
}

func TestAMalformedDefinitionIsLeftOutWithAWarning(t *testing.T) {
	const notAnObject, noName, twoNames = "it is not an object", "it has no name", "it has two names"
	for definition, reason := range map[string]string{
		``: notAnObject, `null`: notAnObject, `"name"`: notAnObject, `["name","t"]`: notAnObject, `7`: notAnObject, `[{"name":"t"}]`: notAnObject,
		`{}`: noName, `{"name":""}`: noName, `{"name":null}`: noName, `{"name":7}`: noName, `{"name":{"name":"t"}}`: noName, `{"name":["t"]}`: noName, `{"Name":"t"}`: noName, `{"x":{"name":"t"}}`: noName,
		`{"name":"t","name":"u"}`: twoNames, `{"name":"t","x":1,"n\u0061me":"t"}`: twoNames, `{"name":7,"name":"t"}`: twoNames,
	} {
		t.Run(definition, func(t *testing.T) {
			r, log := newRegistryWithLog([]string{"a"}, ":")
			if n := r.ReplaceTools("a", definitionsOf(`{"name":"v"}`, definition, `{"name":"w"}`)); n != 2 {
				t.Errorf("%d tools", n)
			}
			if got, want := string(r.Snapshot().View(plain).ToolsJSON()), `[{"name":"a:v"},{"name":"a:w"}]`; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			want := `level=WARN msg="tool left out" server=a position=1 reason="` + reason + `"`
			if got := log.takeLines(); !slices.Equal(got, []string{want}) {
				t.Errorf("warnings %q, want %q", got, want)
			}
		})
	}
}

func TestServersAreAddedRenamedAndRemoved(t *testing.T) {
	r := newRegistry("auto.")
	changes := r.Subscribe(t.Context())
	arrange := func(order ...string) func() { return func() { r.SetOrder(order) } }
	set := func(key string, raw ...string) func() {
		return func() { r.ReplaceTools(key, definitionsNamed(raw...)) }
	}
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
		{"one is renamed in its place", func() { r.RenameServer("b", "c") }, "c.x.y c.u a.t"},
		{"to the name that it has", func() { r.RenameServer("c", "c") }, "c.x.y c.u a.t"},
		{"one that is not there is renamed", func() { r.RenameServer("x", "y") }, "c.x.y c.u a.t"},
		{"one without tools is renamed", func() { arrange("c", "d", "a")(); r.RenameServer("d", "e"); set("e", `"t"`)() }, "c.x.y c.u e.t a.t"},
		{"one goes", arrange("a"), "a.t"},
		{"and comes again, without its tools", arrange("a", "c", "b"), "a.t"},
		{"all go", arrange(), ""},
	} {
		step.do()
		if got := publicNames(r.Snapshot()); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
		if !hasChanged(changes) && step.want != "" {
			t.Errorf("%s: no signal", step.name)
		}
	}
}

func TestTheOrderIsCopied(t *testing.T) {
	r := newRegistry("auto.")
	order := registry.Order{"a", "b"}
	r.SetOrder(order)
	r.ReplaceTools("a", definitionsNamed(`"t"`))
	r.ReplaceTools("b", definitionsNamed(`"t"`))
	r.RenameServer("a", "c")
	if order[0] != "a" {
		t.Error("it is changed")
	}
	order[1] = "x"
	r.ReplaceTools("c", definitionsNamed(`"u"`))
	if got := publicNames(r.Snapshot()); got != "c.u b.t" {
		t.Error(got)
	}
}

func TestARenamedToolIsTheSame(t *testing.T) {
	r := newRegistry("auto.", "a")
	r.ReplaceTools("a", definitionsOf(`{"x":1e400,"name":"\u0074.\/","a":1,"a":2}`))
	r.RenameServer("a", "longer")
	e := lookup(t, r.Snapshot(), "longer.t./")
	if e.Server != "longer" || e.OriginalName != "t./" || string(e.RawName) != `"\u0074.\/"` || string(e.Definition) != `{"x":1e400,"name":"longer.\u0074.\/","a":1,"a":2}` {
		t.Errorf("%+v %s", e, e.Definition)
	}
}

// Renaming and reordering servers changes nothing but names and order.
func TestToolsFollowTheirServers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRegistry("auto.")
		var keys []string // of servers; each has one tool, named after its first key
		tools := make(map[string]string)
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"come": func(*rapid.T) {
				key := fmt.Sprint("s", next)
				next++
				keys = append(keys, key)
				tools[key] = "t" + key
				r.SetOrder(keys)
				r.ReplaceTools(key, definitionsNamed(`"`+tools[key]+`"`))
			},
			"go": func(t *rapid.T) {
				if len(keys) > 0 {
					i := rapid.IntRange(0, len(keys)-1).Draw(t, "which")
					keys = append(append([]string{}, keys[:i]...), keys[i+1:]...)
					r.SetOrder(keys)
				}
			},
			"rename": func(t *rapid.T) {
				if len(keys) > 0 {
					i := rapid.IntRange(0, len(keys)-1).Draw(t, "which")
					key := fmt.Sprint("s", next)
					next++
					r.RenameServer(keys[i], key)
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
