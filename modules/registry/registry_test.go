package registry_test

import (
	"slices"
	"strings"
	"testing"
)

func TestATwiceTakenNameStaysWithTheFirstInTheFile(t *testing.T) {
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
			r, log := newLogged([]string{"a", "a:b", "c"}, ":")
			for _, s := range test.sets {
				log.Reset()
				r.Set(s.key, named(s.tools...))
			}
			if got := publicNames(r.Snapshot()); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if got := log.take(); !slices.Equal(got, test.warnings) {
				t.Errorf("warnings %q, want %q", got, test.warnings)
			}
		})
	}
}

func TestANameIsFreeAgainWhenItsOwnerIsGone(t *testing.T) {
	r := newRegistry(":", "a", "a:b")
	r.Set("a", named(`"b:t"`))
	if n := r.Set("a:b", named(`"t"`, `"u"`)); n != 1 {
		t.Errorf("%d tools, want the one whose name is free", n)
	}
	r.Remove("a")
	if e := lookup(t, r.Snapshot(), "a:b:t"); e.Server != "a:b" || string(e.Tool) != `"t"` {
		t.Errorf("%s of %s", e.Tool, e.Server)
	}
}

func TestAToolThatCannotBeListedCostsItselfAndAWarning(t *testing.T) {
	const notAnObject, noName, twoNames = "it is not an object", "it has no name", "its name stands twice"
	for definition, reason := range map[string]string{
		``: notAnObject, `null`: notAnObject, `"name"`: notAnObject, `["name","t"]`: notAnObject, `7`: notAnObject, `[{"name":"t"}]`: notAnObject,
		`{}`: noName, `{"name":""}`: noName, `{"name":null}`: noName, `{"name":7}`: noName, `{"name":{"name":"t"}}`: noName, `{"name":["t"]}`: noName, `{"Name":"t"}`: noName, `{"x":{"name":"t"}}`: noName,
		`{"name":"t","name":"u"}`: twoNames, `{"name":"t","x":1,"n\u0061me":"t"}`: twoNames, `{"name":7,"name":"t"}`: twoNames,
	} {
		t.Run(definition, func(t *testing.T) {
			r, log := newLogged([]string{"a"}, ":")
			if n := r.Set("a", lines(`{"name":"v"}`, definition, `{"name":"w"}`)); n != 2 {
				t.Errorf("%d tools", n)
			}
			if got, want := string(r.Snapshot().View(plain).Tools()), `[{"name":"a:v"},{"name":"a:w"}]`; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			want := `level=WARN msg="tool left out" server=a position=1 reason="` + reason + `"`
			if got := log.take(); !slices.Equal(got, []string{want}) {
				t.Errorf("warnings %q, want %q", got, want)
			}
		})
	}
}
