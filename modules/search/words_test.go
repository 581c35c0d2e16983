package search_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/search"
)

func TestWordsOfATextInOrder(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"spaces and punctuation separate words", " read_file, or-else!", "read file or else"},
		{"camelCase is split", "getUserName", "get user name"},
		{"an abbreviation is a word", "parseHTTPRequests", "parse http requests"},
		{"two parts are a word as a whole, too", "GitHub PostgreSQL", "git hub github postgre sql postgresql"},
		{"what follows a number is another word", "base64encode", "base64 encode base64encode"},
		{"diacritics go, whether composed or not", "Café cafe\u0301 ÅNGSTRÖM", "cafe cafe angstrom"},
		{"case is folded", "Straße ΣΊΣΥΦΟΣ", "strasse σισυφοσ"},
		{"wide letters are letters", "ＡＢＣ１２", "abc12"},
		{"Chinese comes as bigrams", "搜索工具", "搜索 索工 工具"},
		{"so does Japanese, voiced as it is", "ガイド", "ガイ イド"},
		{"and Korean, in syllables", "검색기", "검색 색기"},
		{"one character alone is a word", "查 x", "查 x"},
		{"scripts are told apart", "用GitHub查", "用 git hub 查"},
		{"control characters and directional marks are not letters", "a\x00b\u202ec", "a b c"},
		{"invalid UTF-8 separates words", "a\xffb", "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Fields(tt.want), search.Words(tt.text, true)); diff != "" {
				t.Errorf("%q: -want +got\n%s", tt.text, diff)
			}
		})
	}
	if got := search.Words("getUser", false); !slices.Equal(got, []string{"get", "user"}) {
		t.Errorf("in a program, getUser is %q", got)
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"getHTTPRequest", "搜索x工具", "cafe\u0301 \xff", "ａ９b", "ßẞ", "\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := search.Words(text, true)
		if len(words) > 3*len(text)+1 {
			t.Errorf("%q has %d words", text, len(words))
		}
		for _, w := range words {
			if w == "" || !utf8.ValidString(w) || strings.ContainsAny(w, " \t\n_-\x00") {
				t.Errorf("%q has the word %q", text, w)
			}
			search.Stem(w)
		}
		if again := search.Words(strings.Join(words, " "), false); len(again) < len(slices.Compact(words))/4 {
			t.Errorf("%q: %q became %q", text, words, again)
		}
	})
}

func TestStems(t *testing.T) {
	for word, want := range map[string]string{
		"repositories": "repositori", "repository": "repositori", "searching": "search",
		"the": "", "s3": "s3", "検索": "検索", "id": "id",
	} {
		if got := search.Stem(word); got != want {
			t.Errorf("the stem of %q is %q, want %q", word, got, want)
		}
	}
}

func TestWordsOfASchema(t *testing.T) {
	tests := []struct{ name, schema, names, texts string }{
		{"parameters", `{"type":"object","properties":{"owner":{"type":"string","description":"who has it"},"id":{}}}`, "owner id", "who has it"},
		{"enums and constants", `{"properties":{"state":{"enum":["open",1,"closed"]},"kind":{"const":"fixed"}}}`, "state kind", "open closed fixed"},
		{"objects in objects", `{"properties":{"a":{"properties":{"b":{"description":"inner"}}}}}`, "a b", "inner"},
		{"elements", `{"properties":{"a":{"items":{"properties":{"b":{}}}}}}`, "a b", ""},
		{"alternatives", `{"anyOf":[{"properties":{"a":{}}},{"oneOf":[{"properties":{"b":{}}}]}]}`, "a b", ""},
		{"definitions, whose names are ignored", `{"$defs":{"X":{"properties":{"a":{"description":"text"}}}}}`, "a", "text"},
		{"parameters named like keywords", `{"properties":{"properties":{"description":"d"},"enum":{}}}`, "properties enum", "d"},
		{"the top-level description is ignored", `{"description":"whole"}`, "", ""},
		{"escapes", `{"properties":{"\u0061b":{"description":"x\ny"}}}`, "ab", "x y"},
		{"no schema", ``, "", ""},
		{"not an object", `["properties"]`, "", ""},
		{"a truncated schema", `{"properties":{"a":{"description":"b"},"c":{"desc`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			names, texts := search.ReadSchema([]byte(tt.schema))
			if diff := cmp.Diff([]string{tt.names, tt.texts}, []string{strings.Join(names, " "), strings.Join(texts, " ")}); diff != "" {
				t.Errorf("%s: -want +got\n%s", tt.schema, diff)
			}
		})
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"description":"b","enum":["c"]}},"anyOf":[{}]}`))
	f.Add([]byte(`{"properties":{"a":`))
	f.Add([]byte(`{"enum":["\ud800`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		names, texts := search.ReadSchema(schema)
		for _, w := range slices.Concat(names, texts) {
			if !utf8.ValidString(w) {
				t.Errorf("%q gives %q", schema, w)
			}
		}
	})
}

func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"issue", "issue", 2, 0},
		{"isue", "issue", 2, 1},
		{"isseu", "issue", 2, 1},
		{"tissue", "issue", 2, 1},
		{"repositroy", "repository", 2, 1},
		{"abcd", "wxyz", 2, 3},
		{"", "ab", 2, 2},
		{strings.Repeat("a", 100), strings.Repeat("a", 100), 2, 3},
	} {
		if got := search.EditDistance(tt.a, tt.b, tt.limit); got != tt.want {
			t.Errorf("%q and %q differ by %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// Groups of a single stem or of stop words would have no effect.
func TestTheThesaurusHasNoUselessGroups(t *testing.T) {
	for stem, synonyms := range search.Thesaurus() {
		if stem == "" || len(synonyms) == 0 || slices.Contains(synonyms, "") || slices.Contains(synonyms, stem) {
			t.Errorf("%q has the synonyms %q", stem, synonyms)
		}
	}
}
