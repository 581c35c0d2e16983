package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/wire"
)

// jsonDepth is the depth beyond which encoding/json refuses valid JSON.
const jsonDepth = 10_000

// slowMember is one member of an object as encoding/json sees it.
type slowMember struct {
	name  string
	value wire.Span
}

// slowMembers lists the members of an object, which has to be valid, with a
// json.Decoder; nil when it is no object.
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

// slowElements lists the elements of a valid array; nil when it is no array.
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

// slowScan does what Scan does, over a line that is valid JSON.
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

// checkAgainstReference scans line and compares with encoding/json: whether it is
// valid, where it is not, and what stands in it.
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
		// encoding/json counts the byte that it blames as read.
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
