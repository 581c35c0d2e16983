package registry_test

import (
	"log/slog"
	"strings"
	"testing"

	"mcp-aggregator/modules/registry"
)

func TestAFilterListsToolsByTheirCanonicalNames(t *testing.T) {
	tests := map[string]struct {
		filter         registry.Filter
		listed, hidden string
	}{
		"nothing asked":               {registry.Filter{}, "a:x a:y/z b:x b:delete_x", ""},
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

func TestPatternsThatMatchNothingAreKnown(t *testing.T) {
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
