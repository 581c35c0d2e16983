package redact_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/redact"
)

func TestRedact(t *testing.T) {
	tests := []struct {
		name    string
		secrets []string
		text    string
		want    string
	}{
		{"nothing is secret", nil, "a text", "a text"},
		{"an empty value is not a secret", []string{""}, "a text", "a text"},
		{"a secret is redacted anywhere", []string{"hunter2"}, "xhunter2y hunter2", "x[redacted]y [redacted]"},
		{"four bytes are long", []string{"1234"}, "x1234y", "x[redacted]y"},
		{"three bytes are short", []string{"123"}, "x123y 123y x123 ä123", "x123y 123y x123 ä123"},
		{"a short secret is redacted as a whole word", []string{"1"}, "1 of 11, 1: port=1", "[redacted] of 11, [redacted]: port=[redacted]"},
		{"a short secret that overlaps itself", []string{"--"}, "---", "[redacted]"},
		{"a secret inside another", []string{"abcd", "xxabcdxx"}, "abcd xxabcdxx", "[redacted] [redacted]"},
		{"overlapping secrets leave no rest", []string{"abcdef", "defghi"}, "-abcdefghi-", "-[redacted]-"},
		{"a short secret within a long one does not split it", []string{"a-b", "xx a-b xx"}, "xx a-b xx", "[redacted]"},
		{"a secret that overlaps itself leaves no rest", []string{"abab"}, "-ababab-", "-[redacted]-"},
		{"a secret of several lines", []string{"line one\nline two"}, "line one\nline two", "[redacted]"},
		{"each line of a secret of several lines", []string{"line one\r\nline two\n"}, "got line two, line one", "got [redacted], [redacted]"},
		{"a secret as %q writes it", []string{"pa\"ss\\wo\trd"}, `command "pa\"ss\\wo\trd" is missing`, `command "[redacted]" is missing`},
		{"a secret as PHP writes it", []string{"https://user:pw@host/db"}, `"url":"https:\/\/user:pw@host\/db"`, `"url":"[redacted]"`},
		{"a secret as Go writes it into JSON", []string{"a=1&b=<2>"}, `"a=1\u0026b=\u003C2\u003e"`, `"[redacted]"`},
		{"a secret in ASCII", []string{"pässwörd😀"}, `p\u00e4ssw\u00F6rd\ud83d\ude00!`, `[redacted]!`},
		{"a secret in JSON within JSON", []string{`p"w\é`}, `{"e":"{\"k\":\"p\\\"w\\\\\u00e9\"}"}`, `{"e":"{\"k\":\"[redacted]\"}"}`},
		{"a secret as Python writes it", []string{`it's p"w\x`}, `'it\'s p"w\\x'`, `'[redacted]'`},
		{"half an escape at the end", []string{"hunter2"}, `hunter2\`, `[redacted]\`},
		{"what only looks like an escape", []string{"hunter2"}, `\u00zz \x1 \U0001 \q hunter2`, `\u00zz \x1 \U0001 \q [redacted]`},
		{"a secret that is not UTF-8", []string{"ab\xffcd"}, "-ab\xffcd-", "-[redacted]-"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := redact.New(test.secrets).Redact(test.text); got != test.want {
				t.Errorf("redacted %q, want %q", got, test.want)
			}
		})
	}
}

// dense generates texts over few letters, none of them in Mark, so that secrets touch,
// overlap and nest.
func dense(sizes string) *rapid.Generator[string] {
	return rapid.StringMatching(`[xyz1\-\n "]{` + sizes + `}`)
}

func TestNoSecretSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(dense("4,9"), 1, 4).Draw(t, "secrets")
		text := dense("0,60").Draw(t, "text")
		for _, s := range secrets {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			if rapid.Bool().Draw(t, "quoted") {
				s = strconv.Quote(s)
			}
			text = text[:at] + s + text[at:]
		}
		got := redact.New(secrets).Redact(text)
		for _, s := range secrets {
			quoted := strconv.Quote(s)
			for _, value := range append(strings.Split(s, "\n"), s, quoted[1:len(quoted)-1]) {
				if len(value) >= 4 && strings.Contains(got, value) {
					t.Fatalf("%q survives in %q", value, got)
				}
			}
		}
	})
}

func TestNothingButSecretsIsRedacted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(rapid.StringMatching(`[xyz1\-]{1,9}`), 1, 4).Draw(t, "secrets")
		text := dense("0,60").Draw(t, "text")
		if got, want := redact.New(secrets).Redact(text), redactedSlowly(secrets, text); got != want {
			t.Fatalf("%q became %q, want %q", text, got, want)
		}
	})
}

// redactedSlowly searches for every secret at every position of text.
func redactedSlowly(secrets []string, text string) string {
	const secret = 0
	marked := []byte(text)
	for at := range text {
		for _, s := range secrets {
			before, after := " "+text[:at], strings.TrimPrefix(text[at:], s)+" "
			alone := !strings.ContainsAny(before[len(before)-1:], "xyz1") && !strings.ContainsAny(after[:1], "xyz1")
			if strings.HasPrefix(text[at:], s) && (len(s) >= 4 || alone) {
				copy(marked[at:], make([]byte, len(s)))
			}
		}
	}
	var out strings.Builder
	for i, b := range marked {
		switch {
		case b != secret:
			out.WriteByte(b)
		case i == 0 || marked[i-1] != secret:
			out.WriteString("[redacted]")
		}
	}
	return out.String()
}

func TestSecretsAreKnownAsJSONWritesThem(t *testing.T) {
	const secret = "pässword\"quoted\u0001"
	for _, written := range []string{`{"a":"pässword\"quoted\u0001"}`, `{"a":"p\u00e4ssword\"quoted\x01"}`} {
		if got := redact.New([]string{secret}).Redact(written); strings.Contains(got, "ssword") {
			t.Errorf("%s becomes %s", written, got)
		}
	}
}

// excerptSize is the most bytes of an excerpt.
const excerptSize = 64 << 10

func TestASecretThatIsCutLeavesNoPart(t *testing.T) {
	for name, secret := range map[string]string{
		"longer than what is looked at": strings.Repeat("0123456789", 10_000),
		"across the end of it":          strings.Repeat("abcdefghij", 300),
		"across the end of it, escaped": strings.Repeat(`a"c\e/g<é`, 300),
		"of a length that divides it":   strings.Repeat("x", 1<<12-1) + "y",
	} {
		for form, escaped := range map[string]string{"plain": secret, "quoted": strings.Trim(strconv.QuoteToASCII(secret), `"`)} {
			text := strings.Repeat(escaped, 1+2*excerptSize/len(escaped))
			if got := redact.New([]string{secret}).Excerpt([]byte(text)); got != "[redacted]" {
				t.Errorf("%s, %s: %d bytes are left, such as %.50q", name, form, len(got), got)
			}
		}
	}
}

func TestPrintable(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"text stays", `tür "x" \ 漢字`, `tür "x" \ 漢字`},
		{"an ANSI escape is quoted", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"control bytes are quoted", "a\x00\b\x7f\tb\rc", `a\x00\b\x7f\tb\rc`},
		{"a newline is quoted", "a\nb", `a\nb`},
		{"the CR of a CR LF goes", "a\r", "a"},
		{"a right-to-left mark is quoted", "a\u202eb\u200fc", `a\u202eb\u200fc`},
		{"a C1 control is quoted", "a\u009bb", `a\u009bb`},
		{"a byte that is not UTF-8 is quoted", "a\xffb\xc3", `a\xffb\xc3`},
		{"a replacement character that was written stays", "a\ufffdb", "a\ufffdb"},
		{"a text of just the limit", strings.Repeat("ä", 40), strings.Repeat("ä", 40)},
		{"a longer text is cut at a character", strings.Repeat("ä", 41), strings.Repeat("ä", 40) + "..."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := redact.Printable(test.text, 40); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
