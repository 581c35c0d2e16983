package registry_test

import (
	"strings"
	"testing"

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
