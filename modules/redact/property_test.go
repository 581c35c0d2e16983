package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/redact"
)

// places puts a secret into a configuration. In URLs it is encoded, except where raw is
// used.
func places() map[string]func(secret string) redact.Connection {
	args := func(args ...string) redact.Connection { return redact.Connection{Args: args} }
	header := func(name, value string) redact.Connection {
		return redact.Connection{Headers: map[string]string{name: value}}
	}
	env := func(name, value string) redact.Connection {
		return redact.Connection{Env: map[string]string{name: value}}
	}
	return map[string]func(s string) redact.Connection{
		"a variable":      func(s string) redact.Connection { return env("ANY", s) },
		"a header":        func(s string) redact.Connection { return header("X-Any", s) },
		"Bearer":          func(s string) redact.Connection { return header("Authorization", "Bearer "+raw(s)) },
		"Basic":           func(s string) redact.Connection { return header("Authorization", "Basic "+std(":"+s)) },
		"after --api-key": func(s string) redact.Connection { return args("--api-key", s) },
		"after --pass=":   func(s string) redact.Connection { return args("--pass=" + raw(s)) },
		"NAME_PAT=":       func(s string) redact.Connection { return args("-e", "NAME_PAT="+raw(s)) },
		"mcp-remote":      func(s string) redact.Connection { return args("--header", "Authorization: Bearer "+raw(s)) },
		"a password": func(s string) redact.Connection {
			return args("postgres://" + url.UserPassword("u", s).String() + "@h/db")
		},
		"a token":     func(s string) redact.Connection { return args("https://" + url.UserPassword(s, "").String() + "@h") },
		"a parameter": func(s string) redact.Connection { return redact.Connection{URL: "http://h?sig=" + url.QueryEscape(s)} },
		"a list": func(s string) redact.Connection {
			return args("http://h,http://u:" + url.QueryEscape(s) + "@h,http://h")
		},
		"an address in a variable": func(s string) redact.Connection { return env("ANY", "redis://:"+url.QueryEscape(s)+"@h") },
		"JSON in a variable":       func(s string) redact.Connection { return env("ANY", `{"apiKey":`+jsonOf(s)+`}`) },
	}
}

// raw returns a secret as a token that needs no encoding.
func raw(s string) string { return hex.EncodeToString([]byte(s)) }

// isRaw has the places whose secret is raw.
var isRaw = map[string]bool{"Bearer": true, "after --pass=": true, "NAME_PAT=": true, "mcp-remote": true}

func std(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func jsonOf(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// escapes returns the ways to escape a text, which may be nested.
func escapes() map[string]func(string) string {
	return map[string]func(string) string{
		"not":          func(s string) string { return s },
		"query":        url.QueryEscape,
		"path":         url.PathEscape,
		"lower case":   lowerHex,
		"every byte":   everyByte,
		"JSON":         func(s string) string { return jsonOf(s)[1 : len(jsonOf(s))-1] },
		"Go, ASCII":    strconv.QuoteToASCII,
		"HTML":         html.EscapeString,
		"HTML numbers": htmlNumbers,
	}
}

func everyByte(s string) string {
	var out strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&out, "%%%02x", s[i])
	}
	return out.String()
}

func htmlNumbers(s string) string {
	var out strings.Builder
	for _, r := range s {
		fmt.Fprintf(&out, "&#x%X;", r)
	}
	return out.String()
}

func lowerHex(s string) string {
	return strings.NewReplacer("%2B", "%2b", "%2F", "%2f", "%3D", "%3d", "%3A", "%3a").Replace(url.QueryEscape(s))
}

// encodings returns the ways to encode a secret before it is escaped.
func encodings() map[string]func(before, s, after string) string {
	base := func(e *base64.Encoding) func(before, s, after string) string {
		return func(before, s, after string) string { return e.EncodeToString([]byte(before + s + after)) }
	}
	return map[string]func(before, s, after string) string{
		"none": func(before, s, after string) string { return before + s + after },
		"hex":  func(_, s, _ string) string { return raw(s) }, "HEX": func(_, s, _ string) string { return strings.ToUpper(raw(s)) },
		"std": base(base64.StdEncoding), "raw std": base(base64.RawStdEncoding),
		"url": base(base64.URLEncoding), "raw url": base(base64.RawURLEncoding),
	}
}

// keyOf draws one of the keys of a map.
func keyOf[V any](t *rapid.T, label string, m map[string]V) string {
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m))).Draw(t, label)
}

// Wherever a secret is configured, and however it is repeated, no part of it remains.
func TestNoFormOfASecretSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9ä+/=_.~%&"'<>\\ :;,@!#?{}$-]{5,30}`).Draw(t, "secret")
		place := keyOf(t, "place", places())
		redactor := redact.New(places()[place](secret).Secrets())
		if isRaw[place] {
			secret = raw(secret)
		}
		around := rapid.StringMatching(`[a-z]{0,4}`)
		encoded := encodings()[keyOf(t, "encoding", encodings())](around.Draw(t, "before"), secret, around.Draw(t, "after"))
		inner, outer := keyOf(t, "inner", escapes()), keyOf(t, "outer", escapes())
		said := escapes()[outer](escapes()[inner](encoded))
		got := redactor.Redact("it said " + said + ", and more")
		if strings.Contains(got, secret) || strings.Contains(got, said) || !strings.Contains(got, redact.Mark) {
			t.Fatalf("%s: %q, said as %q, becomes %q", place, secret, said, got)
		}
	})
}

// Whatever Masked hides of arguments, Redact removes from messages.
func TestWhatIsMaskedIsSecret(t *testing.T) {
	word := rapid.StringMatching(`-{0,2}(token|key|H|header|x)?[=: ]?|["'\\{}@,;|&?#%+]|https?://|[a-z]{1,3}|Bearer `)
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), "") })
	rapid.Check(t, func(t *rapid.T) {
		c := redact.Connection{Args: rapid.SliceOfN(text, 1, 3).Draw(t, "args"), URL: text.Draw(t, "url")}
		redactor := redact.New(c.Secrets())
		for i, shown := range c.Masked().Args {
			before, after, masked := strings.Cut(shown, redact.Mark)
			if !masked || strings.Contains(after, redact.Mark) {
				continue // with two marks, what each of them hides is ambiguous
			}
			hidden := c.Args[i][len(before) : len(c.Args[i])-len(after)]
			if len(hidden) >= 4 && strings.Contains(redactor.Redact(c.Args[i]), hidden) {
				t.Fatalf("%q is shown as %q, and said as %q", c.Args[i], shown, redactor.Redact(c.Args[i]))
			}
		}
	})
}
