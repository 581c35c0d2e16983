package registry_test

import (
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"weak"

	"mcp-aggregator/modules/registry"
)

func TestAFilterListsToolsByTheirCanonicalNames(t *testing.T) {
	tests := map[string]struct {
		filter         registry.Filter
		listed, hidden string
	}{
		"no patterns":                 {registry.Filter{}, "a:x a:y/z b:x b:delete_x", ""},
		"one tool allowed":            {registry.Filter{Allow: []string{"a:x"}}, "a:x", "a:y/z b:x b:delete_x"},
		"all tools of a server":       {registry.Filter{Allow: []string{"a:*"}}, "a:x a:y/z", "b:x b:delete_x"},
		"any of several patterns":     {registry.Filter{Allow: []string{"a:y*", "b:?"}}, "a:y/z b:x", "a:x b:delete_x"},
		"some denied":                 {registry.Filter{Deny: []string{"*:delete_*"}}, "a:x a:y/z b:x", "b:delete_x"},
		"what is denied is denied":    {registry.Filter{Allow: []string{"b:*"}, Deny: []string{"*:x"}}, "b:delete_x", "a:x a:y/z b:x"},
		"a star stands for a slash":   {registry.Filter{Deny: []string{"a:*z"}}, "a:x b:x b:delete_x", "a:y/z"},
		"sets":                        {registry.Filter{Allow: []string{"[ac]:x"}}, "a:x", "a:y/z b:x b:delete_x"},
		"a pattern is a whole name":   {registry.Filter{Allow: []string{"x"}}, "", "a:x a:y/z b:x b:delete_x"},
		"case matters":                {registry.Filter{Allow: []string{"A:*"}}, "", "a:x a:y/z b:x b:delete_x"},
		"an escaped star is a star":   {registry.Filter{Allow: []string{`a:\*`}}, "", "a:x a:y/z b:x b:delete_x"},
		"the separator stays a colon": {registry.Filter{Deny: []string{"a__*"}}, "a:x a:y/z b:x b:delete_x", ""},
		"one server":                  {registry.Filter{Servers: []string{"b"}}, "b:x b:delete_x", "a:x a:y/z"},
		"servers, and no globs":       {registry.Filter{Servers: []string{"*", "a:x"}}, "", "a:x a:y/z b:x b:delete_x"},
		"servers restrict patterns":   {registry.Filter{Servers: []string{"c", "a"}, Allow: []string{"*:x"}}, "a:x", "a:y/z b:x b:delete_x"},
		"patterns restrict servers":   {registry.Filter{Servers: []string{"a", "b"}, Deny: []string{"a:*", "*:x"}}, "b:delete_x", "a:x a:y/z b:x"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := registry.NewToolRegistry(registry.Order{"a", "b"}, registry.Auto, test.filter, slog.New(slog.DiscardHandler))
			r.ReplaceTools("a", definitionsNamed(`"x"`, `"y/z"`))
			r.ReplaceTools("b", definitionsNamed(`"x"`, `"delete_x"`))
			if got := publicNames(r.Snapshot()); got != test.listed {
				t.Errorf("listed %q, want %q", got, test.listed)
			}
			if got := strings.Join(r.HiddenNames(), " "); got != test.hidden {
				t.Errorf("hidden %q, want %q", got, test.hidden)
			}
			r.RemoveTools("a")
			r.RemoveTools("b")
			if got := r.HiddenNames(); len(got) > 0 {
				t.Errorf("hidden of servers that have gone: %q", got)
			}
		})
	}
}

func TestUnmatchedPatterns(t *testing.T) {
	f := registry.Filter{Allow: []string{"a:*", "c:*"}, Deny: []string{"a__x", "*:y/?"}}
	idle := f.Unmatched([]string{"a:x", "a:y/z"})
	if got := strings.Join(idle.Allow, " ") + "; " + strings.Join(idle.Deny, " "); got != "c:*; a__x" {
		t.Errorf("unmatched %q", got)
	}
}

func TestAFilterKnowsCanonicalNamesUnderAnySeparator(t *testing.T) {
	r := registry.NewToolRegistry(registry.Order{"a"}, "__", registry.Filter{Deny: []string{"a:x"}}, slog.New(slog.DiscardHandler))
	r.ReplaceTools("a", definitionsNamed(`"x"`, `"y"`))
	if got := publicNames(r.Snapshot()); got != "a__y" {
		t.Errorf("listed %q", got)
	}
}

func TestANamingWithAFilterShowsOnlyWhatPasses(t *testing.T) {
	r := newRegistry("auto", "a", "a.b")
	r.ReplaceTools("a", definitionsNamed(`"b__c"`, `"x"`))
	r.ReplaceTools("a.b", definitionsNamed(`"c.d"`, `"c_d"`))
	for name, test := range map[string]struct {
		client string
		filter registry.Filter
		want   string
	}{
		"no filter":                              {"", registry.Filter{}, "a:b__c a:x a.b:c.d a.b:c_d"},
		"allowed":                                {"", registry.Filter{Allow: []string{"a:*"}}, "a:b__c a:x"},
		"denied":                                 {"", registry.Filter{Deny: []string{"*:c_d", "a:x"}}, "a:b__c a.b:c.d"},
		"one server of two that begin alike":     {"", registry.Filter{Servers: []string{"a"}}, "a:b__c a:x"},
		"aliases of one server":                  {"claude-ai", registry.Filter{Servers: []string{"a.b"}}, "a_b__c_d_b03d97 a_b__c_d_7a1d4f"},
		"nothing passes":                         {"", registry.Filter{Allow: []string{"b:*"}}, ""},
		"aliases without a filter":               {"claude-ai", registry.Filter{}, "a__b__c a__x a_b__c_d_b03d97 a_b__c_d_7a1d4f"},
		"an alias stays when its like is denied": {"claude-ai", registry.Filter{Allow: []string{"a.b:c.d"}}, "a_b__c_d_b03d97"},
	} {
		t.Run(name, func(t *testing.T) {
			naming := registry.Auto.NamingFor(test.client).WithFilter(test.filter)
			s := r.Snapshot()
			view := s.View(naming)
			if got := strings.Join(view.Names(), " "); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if again := s.View(registry.Auto.NamingFor(test.client).WithFilter(test.filter)); again != view {
				t.Error("an equal filter makes another view")
			}
			passing := view.Names()
			for i, all := range s.View(registry.Auto.NamingFor(test.client)).Names() {
				_, found := view.Lookup([]byte(all))
				if want := slices.Contains(passing, all); found != want {
					t.Errorf("%s is found: %t, want %t", all, found, want)
				}
				canonical := s.Entries()[i].Canonical
				if _, ok := view.Lookup([]byte(canonical)); ok != found {
					t.Errorf("%s is found: %t, unlike its alias", canonical, ok)
				}
			}
		})
	}
	all := registry.Auto.NamingFor("")
	first, second := all.WithFilter(registry.Filter{Allow: []string{"a:x"}}), all.WithFilter(registry.Filter{Deny: []string{"a:x"}})
	if len(r.Snapshot().View(first).Names())+len(r.Snapshot().View(second).Names()) != len(r.Snapshot().View(all).Names()) {
		t.Error("allowing and denying a tool show the same")
	}
	first, second = all.WithFilter(registry.Filter{Allow: []string{"a"}}), all.WithFilter(registry.Filter{Servers: []string{"a"}})
	if len(r.Snapshot().View(first).Names()) == len(r.Snapshot().View(second).Names()) {
		t.Error("a pattern and a server show the same")
	}
}

func TestASnapshotKeepsABoundedNumberOfViews(t *testing.T) {
	r := newRegistry("auto", "a")
	r.ReplaceTools("a", definitionsNamed(`"x"`, `"y"`))
	s, all := r.Snapshot(), registry.Auto.NamingFor("")
	var views []weak.Pointer[registry.View]
	for i := range 300 {
		view := s.View(all.WithFilter(registry.Filter{Deny: []string{"a:x", strconv.Itoa(i)}}))
		if got := string(view.ToolsJSON()); got != `[{"name":"a:y"}]` {
			t.Fatal(got)
		}
		views = append(views, weak.Make(view))
	}
	runtime.GC()
	kept := 0
	for _, view := range views {
		if view.Value() != nil {
			kept++
		}
	}
	if kept == 0 || kept > 64 {
		t.Errorf("%d views are kept", kept)
	}
	runtime.KeepAlive(s)
}
