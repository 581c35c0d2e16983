package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
)

func TestSpliceReplacesASpanAndNothingElse(t *testing.T) {
	tests := []struct {
		name, replacement, want string
		span                    wire.Span
	}{
		{"at the beginning", "X", "Xcdef", wire.Span{Start: 0, End: 2}},
		{"in the middle, by more", "XYZ", "abXYZdef", wire.Span{Start: 2, End: 3}},
		{"at the end, by less", "X", "abX", wire.Span{Start: 2, End: 6}},
		{"by nothing", "", "abef", wire.Span{Start: 2, End: 4}},
		{"all of it", "X", "X", wire.Span{Start: 0, End: 6}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			line := []byte("abcdef")
			got := wire.Splice(line, test.span, []byte(test.replacement))
			if string(got) != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			clear(got[:cap(got)])
			if string(line) != "abcdef" {
				t.Errorf("the line became %q", line)
			}
		})
	}
}

// piece is a part of a line: the id, the name or text that must not change.
type piece struct {
	text string
	role string // "id", "name" or ""
}

// spelled returns a member's name with some of its letters escaped.
func spelled(t *rapid.T, name string) string {
	switch rapid.IntRange(0, 4).Draw(t, "spelling") {
	case 0:
		return `"\u00` + hexOf(name[0]) + name[1:] + `"`
	case 1:
		return `"` + name[:1] + `\u00` + strings.ToUpper(hexOf(name[1])) + name[2:] + `"`
	}
	return `"` + name + `"`
}

func hexOf(c byte) string { return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) }

var (
	gaps = rapid.SampledFrom([]string{"", "", "", " ", "\t", "  ", "\r"})
	// lookalikes resemble the members that are replaced.
	lookalikes = []string{
		`"_meta":{"id":1,"name":"a","params":{"name":"b"}}`, `"x":[{"id":2,"name":"c"},"id","name"]`,
		`"number":1e400`, `"number":9007199254740993`, `"ID":3`, `"Name":"d"`, `"arguments":{"name":"e","id":1.50}`,
		`"x":"\ud800 \"name\":\"f\" <>&"`, `"":{}`, `"x":[[[[[]]]]]`, `"namer":1`, `"i":null`,
	}
)

// anyObject generates an object of those members and lookalikes in any order.
func anyObject(t *rapid.T, members [][]piece) []piece {
	for _, stranger := range rapid.SliceOfN(rapid.SampledFrom(lookalikes), 0, 4).Draw(t, "lookalikes") {
		members = append(members, []piece{{stranger, ""}})
	}
	object := []piece{{"{" + gaps.Draw(t, "gap"), ""}}
	for i, member := range rapid.Permutation(members).Draw(t, "order") {
		if i > 0 {
			object = append(object, piece{gaps.Draw(t, "gap") + "," + gaps.Draw(t, "gap"), ""})
		}
		object = append(object, member...)
	}
	return append(object, piece{gaps.Draw(t, "gap") + "}", ""})
}

func anyMember(t *rapid.T, name string, value ...piece) []piece {
	return append([]piece{{spelled(t, name) + gaps.Draw(t, "gap") + ":" + gaps.Draw(t, "gap"), ""}}, value...)
}

// anyCall generates a tools/call in pieces.
func anyCall(t *rapid.T) []piece {
	id := rapid.SampledFrom([]string{`1`, `"a"`, `9007199254740993`, `1.50`, `"\u0061\/"`, `""`, `null`})
	name := rapid.SampledFrom([]string{`"a:b"`, `"\u0061:\ud83d\ude00"`, `""`, `"x\"y"`, `"id"`, `"name"`})
	params := anyObject(t, [][]piece{anyMember(t, "name", piece{name.Draw(t, "name"), "name"})})
	line := anyObject(t, [][]piece{
		anyMember(t, "jsonrpc", piece{`"2.0"`, ""}), anyMember(t, "method", piece{`"tools/call"`, ""}),
		anyMember(t, "id", piece{id.Draw(t, "id"), "id"}), anyMember(t, "params", params...),
	})
	return append(append([]piece{{gaps.Draw(t, "gap"), ""}}, line...), piece{gaps.Draw(t, "gap"), ""})
}

// joined returns the line with some pieces replaced by role.
func joined(pieces []piece, replaced map[string]string) string {
	var line strings.Builder
	for _, p := range pieces {
		if text, ok := replaced[p.role]; ok {
			line.WriteString(text)
		} else {
			line.WriteString(p.text)
		}
	}
	return line.String()
}

func TestOnlyTheIDAndTheNameOfACallChange(t *testing.T) {
	raw := rapid.SampledFrom([]string{`7`, `"b"`, `"a longer one, \u00e9"`, `12345678901234567890`})
	rapid.Check(t, func(t *rapid.T) {
		pieces := anyCall(t)
		text := joined(pieces, nil)
		m := scanned(t, text)
		id, name := raw.Draw(t, "new id"), raw.Draw(t, "new name")

		parts := m.Parts([]byte(id), []byte(name))
		checkLine(t, "id and name", bytes.Join(parts[:], nil), joined(pieces, map[string]string{"id": id, "name": name}))
		parts = m.Parts([]byte(id), nil)
		want := joined(pieces, map[string]string{"id": id})
		checkLine(t, "the id alone, in parts", bytes.Join(parts[:], nil), want)
		checkLine(t, "the id alone", m.WithID([]byte(id)), want)
		checkLine(t, "the line itself", m.Line, text)
	})
}

func scanned(t fatal, line string) *wire.Message {
	t.Helper()
	m := new(wire.Message)
	if err := new(wire.Scanner).Scan([]byte(line), m); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return m
}

func checkLine(t fatal, name string, got []byte, want string) {
	t.Helper()
	if string(got) != want {
		t.Fatalf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

func TestAMethodIsComparedUnescaped(t *testing.T) {
	tests := []struct {
		name, line, method string
		want               bool
	}{
		{"plain", `{"method":"tools/call"}`, "tools/call", true},
		{"an escaped slash", `{"method":"tools\/call"}`, "tools/call", true},
		{"an escaped letter", `{"method":"\u0074ools/call"}`, "tools/call", true},
		{"another of the same length", `{"method":"tools/cast"}`, "tools/call", false},
		{"a longer one", `{"method":"tools/calls"}`, "tools/call", false},
		{"another case", `{"method":"Tools/call"}`, "tools/call", false},
		{"an escape is not its spelling", `{"method":"a\/b"}`, `a\/b`, false},
		{"no string", `{"method":12345}`, "234", false},
		{"an object", `{"method":{"a":1}}`, `"a":1`, false},
		{"no method", `{"id":1}`, "", false},
		{"an empty one", `{"method":""}`, "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := scanned(t, test.line).MethodIs(test.method); got != test.want {
				t.Errorf("%s is %q: %v", test.line, test.method, got)
			}
		})
	}
}

func TestMethodIsAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := `"` + rapid.StringMatching(`([a/]|\\/|\\\\|\\u0061|\\n){0,6}`).Draw(t, "method") + `"`
		var method string
		if err := json.Unmarshal([]byte(raw), &method); err != nil {
			t.Fatal(err)
		}
		m := scanned(t, `{"id":1,"method":`+raw+`}`)
		if other := raw[1 : len(raw)-1]; !m.MethodIs(method) || m.MethodIs(other) != (other == method) {
			t.Fatalf("%s is %q: %v; %q: %v", raw, method, m.MethodIs(method), other, m.MethodIs(other))
		}
	})
}

func TestARequestIsMadeOfItsParts(t *testing.T) {
	line := wire.AppendRequest([]byte("before"), []byte(`"a"`), "tools/list", []byte(`{"cursor":1e400}`))
	checkLine(t, "request", line, `before{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":1e400}}`)
	if m := scanned(t, string(line[len("before"):])); m.Kind != wire.Request || !m.MethodIs("tools/list") {
		t.Errorf("%s is a %v", line, m.Kind)
	}
}
