package config_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/config"
)

// dense generates text that mostly looks like references.
func dense() *rapid.Generator[string] { return rapid.StringMatching(`[$$${}:\-ABa0_ ]{0,20}`) }

// wantMissing checks that there is one problem for each name, in that order.
func wantMissing(t tb, err error, names []string) {
	t.Helper()
	problems := problemsOf(t, err)
	if len(problems) != len(names) {
		t.Fatalf("problems:\n%v\nwant one for each of %q", err, names)
	}
	for i, problem := range problems {
		if problem.Code != config.MissingEnvVar || !strings.Contains(problem.Message, strconv.Quote(names[i])+" is not set") {
			t.Fatalf("problem %v, want one of %q", problem, names[i])
		}
	}
}

func TestTextWithoutADollarIsUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "$") }).Draw(t, "text")
		if got := expandText(t, text); got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestEscapedTextComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := dense().Draw(t, "text")
		if got := expandText(t, escape(text), "A=1", "B=2"); got != text {
			t.Fatalf("%q, escaped as %q, became %q", text, escape(text), got)
		}
	})
}

func TestSubstitutedValuesAreNotExpandedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := dense().Draw(t, "value")
		before, after := rapid.StringMatching(`[a-z ]*`).Draw(t, "before"), rapid.StringMatching(`[a-z ]*`).Draw(t, "after")
		for _, reference := range []string{"$V", "${V}", "${V:-x}"} {
			text := before + reference + reference + after
			if got, want := expandText(t, text, "V="+value, "A=1", "B=2"), before+value+value+after; got != want {
				t.Fatalf("%q became %q, want %q", text, got, want)
			}
		}
	})
}

func TestExpansionAgreesWithTheGrammar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := config.NewEnv([]string{"A=" + dense().Draw(t, "A"), "a= ", "0="})
		text := dense().Draw(t, "text")
		want, missing := oracle(text, env.Lookup)
		resolved, err := config.NewExpander(env).Expand(withArg(text))
		switch {
		case err != nil:
			wantMissing(t, err, missing)
		case missing != nil || resolved.Servers[0].Args[0] != want:
			t.Fatalf("%q became %q, want %q without %q", text, resolved.Servers[0].Args[0], want, missing)
		}
	})
}

func TestEveryMissingVariableIsReportedAtItsPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Z_][A-Z0-9_]{0,3}`), 1, 9, rapid.ID)
		entry, want := config.Entry{Key: "a", Command: "x"}, []string{}
		for i, args := range rapid.SliceOfN(names, 1, 4).Draw(t, "args") {
			entry.Args = append(entry.Args, "${"+strings.Join(args, "}-$")+"}")
			for _, name := range args {
				want = append(want, fmt.Sprintf("mcpServers.a.args[%d] %q", i, name))
			}
		}
		text := "${" + strings.Join(names.Draw(t, "env"), "}${") + "}"
		entry.Env = []config.Var{{Name: "E", Value: text}, {Name: "F", Value: text}}
		for _, place := range []string{"E", "F"} {
			_, missing := oracle(text, config.Env{}.Lookup)
			for _, name := range missing {
				want = append(want, fmt.Sprintf("mcpServers.a.env.%s %q", place, name))
			}
		}
		_, err := config.NewExpander(config.Env{}).Expand(&config.File{Path: "/c.json", Servers: []config.Entry{entry}})
		var got []string
		for _, problem := range problemsOf(t, err) {
			got = append(got, problem.Path+" "+strings.Fields(problem.Message)[2])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("reported %q, want %q", got, want)
		}
	})
}

// secret is the prefix of every value that must not appear in messages.
const secret = "s3cr3t"

func TestMessagesContainNoValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	environ := []string{"SECRET=" + secret + "1", "LINE=" + secret + "\n2", "EMPTY="}
	rapid.Check(t, func(t *rapid.T) {
		text := brokenFile(t)
		_, err := resolve(t, path, text, environ...)
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Fatalf("%s\nof\n%s", err, text)
		}
	})
}

// brokenFile generates a file with secrets and problems; half of them are not JSON.
func brokenFile(t *rapid.T) string {
	value := rapid.SampledFrom([]any{
		nil, 1, true, "", " ", "$NOPE", "$SECRET $NOPE", "${LINE}${NOPE}", "$EMPTY", secret, secret + "\x00",
		"${NOPE:-" + secret + "}$NOPE",
		[]any{secret, "$NOPE", 1},
		map[string]any{"N": secret + "$NOPE", "": secret, "A=B": "$SECRET", "M": 1},
	})
	entry := rapid.MapOfN(rapid.SampledFrom([]string{"command", "args", "env", "cwd", "type", "url", "disabled"}), value, 0, 7)
	servers := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b.c", ""}), entry, 0, 3).Draw(t, "servers")
	whole, err := json.MarshalIndent(map[string]any{"mcpServers": servers, "note": secret}, "", " ")
	if err != nil {
		t.Fatalf("%v", err)
	}
	if rapid.Bool().Draw(t, "valid") {
		return string(whole)
	}
	at := rapid.IntRange(0, len(whole)-1).Draw(t, "at")
	breakers := map[string]string{"cut": "", "drop": string(whole[at+1:]), "quote": `"` + string(whole[at:]), "byte": "\xff" + string(whole[at+1:])}
	kind := rapid.SampledFrom(slices.Sorted(maps.Keys(breakers))).Draw(t, "broken by")
	return string(whole[:at]) + breakers[kind]
}

// oracle is a second implementation of the grammar, byte by byte.
func oracle(text string, lookup func(string) (string, bool)) (result string, missing []string) {
	var out strings.Builder
	for text != "" {
		if text[0] != '$' {
			out.WriteByte(text[0])
			text = text[1:]
			continue
		}
		if n := referenceLength(text[1:]); n > 0 { // $$NAME or $${...}
			out.WriteString(text[1 : 1+n])
			text = text[1+n:]
			continue
		}
		n := bodyLength(text[1:])
		if n == 0 {
			out.WriteByte('$')
			text = text[1:]
			continue
		}
		value, name, ok := oracleValue(text[1:1+n], lookup)
		if !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
		out.WriteString(value)
		text = text[1+n:]
	}
	return out.String(), missing
}

func oracleValue(body string, lookup func(string) (string, bool)) (value, name string, ok bool) {
	name = strings.Trim(body[:1], "{") + body[1:]
	if body[0] == '{' {
		name = name[:len(name)-1]
	}
	fallback, hasFallback := "", false
	if i := strings.Index(name, ":-"); body[0] == '{' && i > 0 {
		name, fallback, hasFallback = name[:i], name[i+2:], true
	}
	if value, ok = lookup(name); ok {
		return value, name, true
	}
	return fallback, name, hasFallback
}

// referenceLength returns the length of $NAME or ${...} at the front, or 0.
func referenceLength(text string) int {
	if !strings.HasPrefix(text, "$") || bodyLength(text[1:]) == 0 {
		return 0
	}
	return 1 + bodyLength(text[1:])
}

// bodyLength returns the length of NAME or {...} at the front, or 0.
func bodyLength(text string) int {
	if strings.HasPrefix(text, "{") {
		if end := strings.IndexByte(text, '}'); end > 1 {
			return end + 1
		}
		return 0
	}
	n := 0
	for n < len(text) && isNameByte(text[n], n) {
		n++
	}
	return n
}

func isNameByte(c byte, i int) bool {
	return c == '_' || 'A' <= c && c <= 'Z' || i > 0 && '0' <= c && c <= '9'
}

// escape doubles the dollar of every reference.
func escape(text string) string {
	var out strings.Builder
	for text != "" {
		n := referenceLength(text)
		if n > 0 {
			out.WriteByte('$')
		}
		n = max(n, 1)
		out.WriteString(text[:n])
		text = text[n:]
	}
	return out.String()
}

// pair is a member of an object whose order and repetitions are kept.
type pair struct {
	name  string
	value any
}

// naive decodes one JSON value; objects become []pair.
func naive(decoder *json.Decoder) any {
	token, err := decoder.Token()
	if err != nil {
		return nil
	}
	switch token {
	case json.Delim('{'):
		object := []pair{}
		for decoder.More() {
			name, _ := naive(decoder).(string)
			object = append(object, pair{name, naive(decoder)})
		}
		_, _ = decoder.Token()
		return object
	case json.Delim('['):
		array := []any{}
		for decoder.More() {
			array = append(array, naive(decoder))
		}
		_, _ = decoder.Token()
		return array
	}
	return token
}

// firstMember returns the first member of an object, and whether there are more.
func firstMember(object any, name string) (value any, repeated bool) {
	pairs, _ := object.([]pair)
	found := false
	for _, p := range pairs {
		if p.name == name && found {
			return value, true
		}
		if p.name == name {
			value, found = p.value, true
		}
	}
	return value, false
}

func hasRepeatedName(object any, names ...string) bool {
	pairs, _ := object.([]pair)
	return slices.ContainsFunc(pairs, func(p pair) bool {
		_, repeated := firstMember(object, p.name)
		return repeated && (len(names) == 0 || slices.Contains(names, p.name))
	})
}
