package lean_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-aggregator/modules/lean"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                       {"", ""},
		"one sentence":                  {"Opens an issue", "Opens an issue"},
		"the first of two":              {"Opens an issue. It is shown to all.", "Opens an issue."},
		"a wrapped line":                {"Fetches a URL from\n  the internet. Then", "Fetches a URL from the internet."},
		"a paragraph without a stop":    {"Search issues\n\nUse it often", "Search issues"},
		"a list behind it":              {"Search issues\n- by name\n- by date", "Search issues"},
		"arguments behind it":           {"Search issues\n\tArgs:\n  query: what", "Search issues"},
		"a dot within a word":           {"Reads file.txt of v1.2 now. More", "Reads file.txt of v1.2 now."},
		"an abbreviation":               {"Lists units, e.g. metres. More", "Lists units, e.g. metres."},
		"Chinese":                       {"查询天气。返回温度。", "查询天气。"},
		"control and bidi characters":   {"a\x1b[31mb\u202ec\u2066d\u200be\u00adf\u2028g", "a [31mbcdef g"},
		"letters of the tag block":      {"Adds\U000e0049\U000e0047 two.", "Adds two."},
		"bytes that are not UTF-8":      {"a\xffb", "ab"},
		"white space alone":             {" \n\t ", ""},
		"a question and an exclamation": {"Really? Yes!", "Really?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := lean.Summary(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSummariesOfLongTextsAreCutAtAWord(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"words":    strings.Repeat("some words ", 100000),
		"no words": strings.Repeat("x", 1<<20),
		"Chinese":  strings.Repeat("天", 1<<18),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := lean.Summary(text)
			if len(got) > 160 || len(got) < 100 || !strings.HasSuffix(got, "…") || !utf8.ValidString(got) || strings.Contains(got, " …") {
				t.Errorf("%d bytes: %q", len(got), got)
			}
		})
	}
}

func FuzzSummary(f *testing.F) {
	f.Add("a. b", "")
	f.Add("\n\n-", "\xff")
	f.Fuzz(func(t *testing.T, text, more string) {
		got := lean.Summary(text + more)
		if len(got) > 160 || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x00\x1b\u202e\u2028") {
			t.Errorf("%q", got)
		}
	})
}

func TestSummarySkipsHeadings(t *testing.T) {
	for text, want := range map[string]string{
		"# Everything Server\n\nA server for tests. More.": "A server for tests.",
		"## One\n### Two\nText":                            "Text",
		"# Only a heading":                                 "Only a heading",
	} {
		if got := lean.Summary(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
