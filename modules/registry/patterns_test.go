package registry_test

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/registry"
)

func TestPatternsMatchCanonicalNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patterns registry.Patterns
		tool     string
		want     bool
	}{
		"no pattern":                  {nil, "github.search", false},
		"all of a server":             {registry.Patterns{"github.*"}, "github.search", true},
		"not of another":              {registry.Patterns{"github.*"}, "github2.search", false},
		"in the middle":               {registry.Patterns{"x", "*search*"}, "files.research_all", true},
		"case matters":                {registry.Patterns{"*Search*"}, "github.search", false},
		"a star matches a slash, too": {registry.Patterns{"a.*"}, "a.b/c", true},
		"so do sets and marks":        {registry.Patterns{"a[/]?[!x]/*"}, "a//b/c/d", false},
		"slashes within other glob":   {registry.Patterns{"a.?[b]*/d"}, "a./b/c/d", true},
		"a part stands once":          {registry.Patterns{"a*ba"}, "aba", true},
		"ends do not overlap":         {registry.Patterns{"ab*ba"}, "aba", false},
		"the whole name has to match": {registry.Patterns{"search"}, "github.search", false},
		"a malformed one":             {registry.Patterns{"[a"}, "a", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.patterns.Match(c.tool); got != c.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestProblemsOfPatternsNameTheirPlace(t *testing.T) {
	t.Parallel()
	patterns := registry.Patterns{"a.*", "[a", "", strings.Repeat("x", 257), `\`, "[a-z]?", "a\x00b"}
	want := []string{
		`pin[1]: the pattern "[a" is malformed; close each [ with a ], and write a \ twice`,
		`pin[2]: the pattern is empty; * matches every tool`,
		`pin[3]: the pattern is longer than 256 bytes`,
		`pin[4]: the pattern "\\" is malformed; close each [ with a ], and write a \ twice`,
		`pin[6]: the pattern "a\x00b" holds a NUL character; leave it out`,
	}
	if got := strings.Join(patterns.Problems("pin"), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

// A slash is an ordinary character, so names have none here.
func TestPatternsMatchAsPathsDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*é]{0,6}([?*ab]|\[a-b\]|\\\*|\[)?[ab*]{0,4}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[abé*]{0,8}`).Draw(t, "name")
		want, err := path.Match(pattern, name)
		if got := (registry.Patterns{pattern}).Match(name); got != (want && err == nil) {
			t.Fatalf("%q and %q: %t, not %t", pattern, name, got, want)
		}
	})
}
