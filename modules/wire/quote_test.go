package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-aggregator/modules/wire"
)

func TestAppendQuoted(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", `""`},
		{"plain text stays as it is", "a b/c", `"a b/c"`},
		{"quotes and backslashes are escaped", `say "hi" \o/`, `"say \"hi\" \\o/"`},
		{"the short escapes are used", "\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"other control characters are numbers", "a\x00\x1fb", `"a\u0000\u001fb"`},
		{"DEL is not a control character in JSON", "\x7f", "\"\x7f\""},
		{"HTML is not escaped", "<a href='?x&y'>", `"<a href='?x&y'>"`},
		{"line separators are not escaped", "\u2028\u2029", "\"\u2028\u2029\""},
		{"other alphabets stay as they are", "Привет, 世界 😀", `"Привет, 世界 😀"`},
		{"each byte that is not UTF-8 is replaced", "a\xff\xc3b\xed\xa0\x80", "\"a\ufffd\ufffdb\ufffd\ufffd\ufffd\""},
		{"U+FFFD itself stays", "\ufffd", "\"\ufffd\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(wire.AppendQuoted([]byte("x"), tt.text)); got != "x"+tt.want {
				t.Errorf("got %s, want x%s", got, tt.want)
			}
		})
	}
}

func TestUnquote(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"nothing", `""`, ""},
		{"plain text", `"a b/c"`, "a b/c"},
		{"every short escape", `"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{"hexadecimal digits of both cases", `"\u00e9\u00E9\u4e16"`, "éé世"},
		{"two surrogates are one character", `"\ud83d\ude00!"`, "😀!"},
		{"a high surrogate alone is replaced", `"\ud83dx"`, "\ufffdx"},
		{"a low surrogate alone is replaced", `"\ude00"`, "\ufffd"},
		{"surrogates in the wrong order are replaced", `"\ude00\ud83d"`, "\ufffd\ufffd"},
		{"a surrogate before another escape", `"\ud83d\u0041\ud83d\n"`, "\ufffdA\ufffd\n"},
		{"a high surrogate before a pair", `"\ud83d\ud83d\ude00"`, "\ufffd😀"},
		{"a surrogate before text like another", `"\ud83dxude00\ud83d\nde00"`, "\ufffdxude00\ufffd\nde00"},
		{"a surrogate before an escaped backslash", `"\ud83d\\ude00"`, "\ufffd\\ude00"},
		{"an escaped backslash starts no escape", `"\\u0041"`, `\u0041`},
		{"bytes that are not UTF-8 are replaced", "\"a\xff\xffb\"", "a\ufffd\ufffdb"},
		{"both, escapes and bytes that are not UTF-8", "\"\\n\xc3\"", "\n\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := wire.Unquote([]byte(tt.raw)); !ok || got != tt.want {
				t.Errorf("Unquote(%s) is %q, %t; want %q", tt.raw, got, ok, tt.want)
			}
		})
	}
}

func TestUnquoteRejectsAnythingButAString(t *testing.T) {
	for name, raw := range map[string]string{
		"nothing": ``, "a number": `1`, "null": `null`, "an object": `{"a":"b"}`, "an array": `["a"]`,
		"a quote alone": `"`, "no closing quote": `"abc`, "no opening quote": `abc"`, "a quoted quote": `"\"`,
		"two strings": `"a""b"`, "white space after": `"a" `, "white space before": ` "a"`,
		"an unknown escape": `"\x"`, "an escape cut short": `"\u12"`, "a control character": "\"\n\"",
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := wire.Unquote([]byte(raw)); ok || got != "" {
				t.Errorf("Unquote(%q) is %q, %t; want false", raw, got, ok)
			}
		})
	}
}

// FuzzQuote checks that quoting and unquoting preserve text, except for bytes that are
// not UTF-8, and that encoding/json reads what AppendQuoted writes.
func FuzzQuote(f *testing.F) {
	for _, text := range []string{"", "plain", "\"\\\b\f\n\r\t\x00\x7f", "é世😀\u2028", "\xff\xed\xa0\x80\ufffd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw := wire.AppendQuoted(nil, text)
		want := string([]rune(text)) // replaces invalid bytes one by one, as encoding/json does
		if got, ok := wire.Unquote(raw); !ok || got != want {
			t.Fatalf("%q came back from %s as %q, %t", text, raw, got, ok)
		}
		var decoded string
		if err := json.Unmarshal(raw, &decoded); err != nil || decoded != want || !utf8.Valid(raw) {
			t.Fatalf("encoding/json reads %q as %q: %v", raw, decoded, err)
		}
	})
}

// FuzzUnquote compares with encoding/json.
func FuzzUnquote(f *testing.F) {
	for _, raw := range seedLines {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := wire.Unquote(raw)
		isString := json.Valid(raw) && strings.HasPrefix(string(raw), `"`) && strings.HasSuffix(string(raw), `"`)
		if ok != isString {
			t.Fatalf("Unquote(%q) says %t, want %t", raw, ok, isString)
		}
		var want string
		if ok && (json.Unmarshal(raw, &want) != nil || got != want) {
			t.Fatalf("Unquote(%q) is %q, want %q", raw, got, want)
		}
	})
}

func TestAppendQuotedDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 64)
	allocs := testing.AllocsPerRun(5, func() { buf = wire.AppendQuoted(buf[:0], "a \"name\"\n") })
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}
