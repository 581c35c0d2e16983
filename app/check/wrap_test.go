package check_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/app/check"
)

func TestTextIsWrappedBetweenWords(t *testing.T) {
	tests := map[string]struct {
		text  string
		limit int
		want  []string
	}{
		"room enough":              {"one two", 7, []string{"one two"}},
		"too long":                 {"one two three", 8, []string{"one two", "three"}},
		"no limit":                 {"one two three", 0, []string{"one two three"}},
		"a word that is longer":    {"a /usr/local/bin b", 6, []string{"a", "/usr/l", "ocal/b", "in b"}},
		"characters twice as wide": {"日本語 日本", 6, []string{"日本語", "日本"}},
		"one that has no room":     {"日本", 1, []string{"日", "本"}},
		"marks on characters":      {"a\u0301e\u0301 b", 2, []string{"a\u0301e\u0301", "b"}},
		"nothing":                  {"", 5, []string{""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := check.Wrap(test.text, test.limit); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestNothingIsLostByWrapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-c 日]{0,60}`).Draw(t, "text")
		limit := rapid.IntRange(2, 20).Draw(t, "limit")
		lines := check.Wrap(text, limit)
		for _, line := range lines {
			if check.Width(line) > limit {
				t.Fatalf("%q is wider than %d", line, limit)
			}
		}
		letters := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if letters(strings.Join(lines, "")) != letters(text) {
			t.Fatalf("%q of %q", lines, text)
		}
	})
}

func TestTheWidthOfTextIsWithoutItsColors(t *testing.T) {
	if got := check.Width("\x1b[31mfailed\x1b[0m 日"); got != 9 {
		t.Errorf("%d columns", got)
	}
}
