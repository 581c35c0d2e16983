package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// seedLines are lines to mutate, at least one for each rule.
var seedLines = []string{
	``, ` `, `{}`, `[]`, `""`, `0`, `-0`, `1.5e-3`, `2E+10`, `true`, `false`, `null`, `nul`, `01`, `-`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_b","arguments":{"n":12345678901234567890}}}`,
	`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"h\u00e9\ud83d\ude00\ud800"}]}}`,
	`{"id":null,"error":{"code":-32601,"message":"no \"such\" method"}}`,
	` { "\u0069d" : 1 , "id" : 2 , "params" : { "name" : 1 , "n\u0061me" : [ ] } } `,
	`[{"id":1,"method":"a"},{"method":"b"}]`,
	"{\"a\":\"\xff\",\"id\":1}", "\"\xc3\xa9 and more than eight bytes \xed\xa0\x80\"",
	`"a long plain string of more than thirty-two bytes, then \n \" \\ \/ \b \f \r \t and \u12aF"`,
	"\"control \x1f\"", `"\x"`, `"\u12"`, `{"a":[1,{"b":[{},[]]}],"c":{"d":{}}}`, `{"a":1,}`, `[1,]`, `{"a"}`, `[1 2]`,
}

func FuzzScan(f *testing.F) {
	for _, line := range seedLines {
		f.Add([]byte(line))
	}
	for _, input := range testutil.Corpus(f, "FuzzScan") {
		f.Add([]byte(input[0]))
	}
	var s wire.Scanner // shared, because the line before must not matter
	f.Fuzz(func(t *testing.T, line []byte) {
		checkAgainstReference(t, &s, line)
	})
}

// anySpace generates white space, mostly none.
func anySpace() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", "", "", " ", "\t", "\r\n  "})
}

// anyName generates the contents of a member's name, mostly one that routing needs, with
// some of its characters escaped.
func anyName() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom([]string{
			"jsonrpc", "id", "method", "params", "result", "error", "name", "params", "name", "", "x", "names",
		}).Draw(t, "name")
		if rapid.IntRange(0, 3).Draw(t, "escape") > 0 {
			return name
		}
		var escaped strings.Builder
		for _, c := range name {
			if rapid.Bool().Draw(t, "this") {
				const hex = "0123456789abcdef"
				escaped.WriteString(`\u00` + string(hex[c>>4]) + string(hex[c&15]))
			} else {
				escaped.WriteRune(c)
			}
		}
		return escaped.String()
	})
}

// anyValue generates a JSON value, sometimes one that is not UTF-8.
func anyValue(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := func() string { return anySpace().Draw(t, "space") }
		var items []string
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth > 0 && kind >= 2 {
			for range rapid.IntRange(0, 5).Draw(t, "len") {
				value := space() + anyValue(depth-1).Draw(t, "value") + space()
				if kind > 2 {
					value = space() + `"` + anyName().Draw(t, "name") + `"` + space() + ":" + value
				}
				items = append(items, value)
			}
			all := strings.Join(items, ",")
			if kind > 2 {
				return "{" + space() + all + "}"
			}
			return "[" + space() + all + "]"
		}
		return rapid.SampledFrom([]string{
			"0", "-12.5e+3", "true", "false", "null", `""`, `"name"`, `"eight by"`, `"\ud800\n"`,
			`"{[\"id\":1]}"`, `"a string that is longer than one word"`, `"é日本語"`, "\"\xff\"",
		}).Draw(t, "scalar")
	})
}

func TestScanAgreesWithTheReferenceOnMessages(t *testing.T) {
	var s wire.Scanner
	rapid.Check(t, func(r *rapid.T) {
		checkAgainstReference(t, &s, []byte(anyValue(4).Draw(r, "line")))
	})
}

// jsonDepth is the depth beyond which encoding/json rejects valid JSON.
const jsonDepth = 10_000

// slowMember is one member of an object as encoding/json sees it.
type slowMember struct {
	name  string
	value wire.Span
}

// slowMembers returns the members of a valid value with a json.Decoder, nil if it is not
// an object.
func slowMembers(t *testing.T, object []byte) (members []slowMember) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatalf("reference: name in %q: %v", object, err)
		}
		text, _ := name.(string)
		members = append(members, slowMember{text, slowValue(t, dec)})
	}
	return members
}

// slowElements returns the elements of a valid value, nil if it is not an array.
func slowElements(t *testing.T, array []byte) (elements []wire.Span) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(array))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil
	}
	for dec.More() {
		elements = append(elements, slowValue(t, dec))
	}
	return elements
}

func slowValue(t *testing.T, dec *json.Decoder) wire.Span {
	t.Helper()
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("reference: %v", err)
	}
	end := int(dec.InputOffset())
	return wire.Span{Start: end - len(raw), End: end}
}

// slowScan does what Scan does for a line that is valid JSON.
func slowScan(t *testing.T, line []byte) wire.Message {
	t.Helper()
	m := wire.Message{Line: line}
	found := map[string]wire.Span{}
	note := func(label string, value wire.Span) {
		if _, twice := found[label]; !twice {
			found[label] = value
		} else if m.Duplicate == "" {
			m.Duplicate = label
		}
	}
	for _, member := range slowMembers(t, line) {
		switch member.name {
		case "params":
			if _, twice := found["params"]; !twice {
				for _, inner := range slowMembers(t, member.value.Of(line)) {
					if inner.name == "name" {
						note("params.name", wire.Span{
							Start: member.value.Start + inner.value.Start,
							End:   member.value.Start + inner.value.End,
						})
					}
				}
			}
			note("params", member.value)
		case "jsonrpc", "id", "method", "result", "error":
			note(member.name, member.value)
		}
	}
	m.JSONRPC, m.ID, m.Method, m.Params = found["jsonrpc"], found["id"], found["method"], found["params"]
	m.Result, m.Error, m.Name = found["result"], found["error"], found["params.name"]
	m.Kind = slowKind(line, found)
	return m
}

func slowKind(line []byte, found map[string]wire.Span) wire.Kind {
	_, id := found["id"]
	_, method := found["method"]
	_, result := found["result"]
	_, failure := found["error"]
	switch {
	case bytes.TrimLeft(line, " \t\r\n")[0] == '[':
		return wire.Batch
	case method && id:
		return wire.Request
	case method:
		return wire.Notification
	case id && (result || failure):
		return wire.Response
	}
	return wire.Other
}

// spansOf returns the members that m located, by label.
func spansOf(m *wire.Message) map[string]wire.Span {
	spans := map[string]wire.Span{
		"jsonrpc": m.JSONRPC, "id": m.ID, "method": m.Method, "params": m.Params,
		"result": m.Result, "error": m.Error, "params.name": m.Name,
	}
	for label, span := range spans {
		if !span.Present() {
			delete(spans, label)
		}
	}
	return spans
}

// checkAgainstReference compares the scan of line with encoding/json: whether it is
// valid, where the error is, and which members it has.
func checkAgainstReference(t *testing.T, s *wire.Scanner, line []byte) {
	t.Helper()
	before := bytes.Clone(line)
	var m wire.Message
	err := s.Scan(line, &m)
	if !bytes.Equal(line, before) {
		t.Fatalf("Scan(%q) changed the line to %q", before, line)
	}
	if bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) > jsonDepth {
		return
	}
	syntax, isSyntax := errors.AsType[*wire.SyntaxError](err)
	reference, invalid := errors.AsType[*json.SyntaxError](json.Unmarshal(line, new(json.RawMessage)))
	switch {
	case invalid != isSyntax:
		t.Fatalf("Scan(%q): %v, but encoding/json says %v", line, err, reference)
	case invalid:
		// The offset of encoding/json includes the offending byte.
		if want := min(syntax.Offset+1, len(line)); int(reference.Offset) != want {
			t.Fatalf("Scan(%q) blames byte %d, but encoding/json says %v at %d",
				line, syntax.Offset, reference, reference.Offset)
		}
		return
	case utf8.Valid(line) == errors.Is(err, wire.ErrNotUTF8):
		t.Fatalf("Scan(%q): %v, but valid UTF-8 is %t", line, err, utf8.Valid(line))
	}
	if want := slowScan(t, line); !reflect.DeepEqual(want, m) { // faster than cmp, and nearly always equal
		t.Fatalf("Scan(%q): -want +got\n%s", line, cmp.Diff(want, m))
	}
}
