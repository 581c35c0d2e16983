package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/wire"
)

// scanLine scans a line that must be valid.
func scanLine(t *testing.T, line string) wire.Message {
	t.Helper()
	var (
		s wire.Scanner
		m wire.Message
	)
	if err := s.Scan([]byte(line), &m); err != nil {
		t.Fatalf("Scan(%q): %v", line, err)
	}
	return m
}

// membersOf returns the raw values that m located, by label.
func membersOf(m *wire.Message) map[string]string {
	members := map[string]string{}
	for label, span := range spansOf(m) {
		members[label] = string(span.Of(m.Line))
	}
	return members
}

// Tests each byte value in each place of a word, before and after other bytes.
func TestEveryByteInEveryPlaceOfAString(t *testing.T) {
	var s wire.Scanner
	for c := range 256 {
		for before := range 18 {
			for _, after := range []string{"", "!#[]\u00a2\u00dc plain", "\x01"} {
				line := []byte(`["` + strings.Repeat("x", before) + string([]byte{byte(c)}) + after + `"]`)
				checkAgainstReference(t, &s, line)
			}
		}
	}
}

func TestScannerForgetsTheLineBefore(t *testing.T) {
	var (
		s wire.Scanner
		m wire.Message
	)
	for _, before := range []string{
		`{"id":1,"id":2,"method":"m","params":{"name":1}}`, `[[[{"a":`, "\"\xff\"", "\"\xff", "",
	} {
		_ = s.Scan([]byte(before), &m)
		checkAgainstReference(t, &s, []byte(`{"result":[{}],"id":3}`))
		_ = s.Scan([]byte(before), &m)
		if err := s.Scan([]byte(`{"id":3}`), &m); err != nil {
			t.Errorf("after %q: %v", before, err)
		}
		want := wire.Message{Line: []byte(`{"id":3}`), ID: wire.Span{Start: 6, End: 7}}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("after %q: -want +got\n%s", before, diff)
		}
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	lines := benchLines()
	lines["deep"] = strings.Repeat(`[{"a":`, 10_000) + "1" + strings.Repeat("}]", 10_000)
	lines["escaped names"] = `{"\u0069d":1,"\u006dethod":"m","params":{"n\u0061me":"x"}}`
	lines["a long escaped name"] = `{"` + strings.Repeat(`\n`, 100) + `":1}`
	for name, line := range lines {
		var (
			s wire.Scanner
			m wire.Message
		)
		data := []byte(line)
		allocs := testing.AllocsPerRun(5, func() {
			if err := s.Scan(data, &m); err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations, want 0", name, allocs)
		}
	}
}

// syntaxTest is a line that is not JSON, with the offset and the reason.
type syntaxTest struct {
	name, line string
	offset     int
	reason     string
}

func TestSyntaxErrorsOfLinesAndContainers(t *testing.T) {
	runSyntaxTests(t, []syntaxTest{
		{"an empty line", "", 0, "unexpected end"},
		{"white space alone", " \t", 2, "unexpected end"},
		{"text of another program", "Listening on 8080", 0, "expected a value"},
		{"a byte order mark", "\ufeff{}", 0, "expected a value"},
		{"white space of another kind", "\v{}", 0, "expected a value"},
		{"a second value", "{} {}", 3, "expected nothing after the value"},
		{"a comma after the value", "1,", 1, "expected nothing after the value"},
		{"a NUL after the value", "1\x00", 1, "expected nothing after the value"},

		{"an object that is not closed", `{"id":1`, 7, "unexpected end"},
		{"an object that stops at its brace", `{`, 1, "unexpected end"},
		{"an object closed as an array", `{"id":1]`, 7, "expected ',' or '}' after a member"},
		{"a comma before the closing brace", `{"id":1,}`, 8, "expected a member's name"},
		{"a comma alone in an object", `{,}`, 1, "expected a member's name"},
		{"a name that is not a string", `{id:1}`, 1, "expected a member's name"},
		{"a name without a colon", `{"id" 1}`, 6, "expected ':' after a member's name"},
		{"a name that is an invalid string", `{"\x":1}`, 3, "unknown escape in a string"},
		{"a name without a value", `{"id":}`, 6, "expected a value"},

		{"an array that is not closed", `[1`, 2, "unexpected end"},
		{"an array closed as an object", `[1}`, 2, "expected ',' or ']' after a value"},
		{"an array with a colon", `["a":1]`, 4, "expected ',' or ']' after a value"},
		{"a comma before the closing bracket", `[1,]`, 3, "expected a value"},
		{"a comma alone in an array", `[,]`, 1, "expected a value"},
		{"two values without a comma", `[1 2]`, 3, "expected ',' or ']' after a value"},
		{"an inner object closed as an array", `[{"a":1]`, 7, "expected ',' or '}' after a value"},
		{"an inner name that is not a string", `[{1:1}]`, 2, "expected a member's name"},
		{"an inner name that is an invalid string", `[{"\x":1}]`, 4, "unknown escape in a string"},
		{"an inner name without a colon", `[{"a",1}]`, 5, "expected ':' after a member's name"},
		{"an inner comma before the brace", `[{"a":1,}]`, 8, "expected a member's name"},
		{"one closing bracket too many", `[[1]]]`, 5, "expected nothing after the value"},
	})
}

func TestSyntaxErrorsOfScalars(t *testing.T) {
	runSyntaxTests(t, []syntaxTest{
		{"a string that is not closed", `"abc`, 4, "unexpected end"},
		{"a long string that is not closed", `"abcdefghijklmnopq`, 18, "unexpected end"},
		{"a string that ends in a backslash", `"abc\`, 5, "unexpected end"},
		{"a control character in a string", "\"ab\ncdefghij\"", 3, "control character in a string"},
		{"a control character near the end", "\"a\x1f\"", 2, "control character in a string"},
		{"an unknown escape", `"ab\xcdefghij"`, 4, "unknown escape in a string"},
		{"a digit that is not hexadecimal", `"\u12g4"`, 5, `expected four hexadecimal digits after \u`},
		{"too few hexadecimal digits", `"\u123"`, 6, `expected four hexadecimal digits after \u`},
		{"a line that ends in an escape", `"\u12`, 5, "unexpected end"},

		{"a leading zero", `01`, 1, "expected nothing after the value"},
		{"a plus sign", `+1`, 0, "expected a value"},
		{"a minus sign alone", `[-]`, 2, "expected a digit after '-'"},
		{"a point first", `.5`, 0, "expected a value"},
		{"a point last", `[1.]`, 3, "expected a digit in a number"},
		{"an exponent without digits", `[1e+]`, 4, "expected a digit in a number"},
		{"a number that ends early", `1E`, 2, "unexpected end"},

		{"a literal misspelt", `[trve]`, 3, "expected true"},
		{"a literal cut short", `fals`, 4, "unexpected end"},
		{"a literal in capitals", `[Null]`, 1, "expected a value"},
		{"a literal too long", `nulll`, 4, "expected nothing after the value"},
	})
}

func runSyntaxTests(t *testing.T, tests []syntaxTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if json.Valid([]byte(tt.line)) {
				t.Fatal("the test is wrong: the line is JSON")
			}
			var (
				s wire.Scanner
				m wire.Message
			)
			syntax, ok := errors.AsType[*wire.SyntaxError](s.Scan([]byte(tt.line), &m))
			if !ok {
				t.Fatalf("Scan(%q) found no syntax error", tt.line)
			}
			if syntax.Offset != tt.offset || syntax.Reason != tt.reason {
				t.Errorf("Scan(%q): %q at %d, want %q at %d",
					tt.line, syntax.Reason, syntax.Offset, tt.reason, tt.offset)
			}
		})
	}
}

func TestSyntaxErrorMessage(t *testing.T) {
	err := &wire.SyntaxError{Offset: 3, Reason: "expected a value"}
	if got, want := err.Error(), "line is not JSON at byte 3: expected a value"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAfterASyntaxErrorTheMessageHoldsTheLineAlone(t *testing.T) {
	var (
		s wire.Scanner
		m wire.Message
	)
	line := []byte(`{"id":1,"id":2,"method":"m",`)
	if err := s.Scan(line, &m); err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(wire.Message{Line: line}, m); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestInvalidUTF8IsReportedWithTheMessage(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		at         int
	}{
		{"a byte that starts no character", "a\xffb", 2},
		{"a character cut short by the quote", "ab\xc3", 3},
		{"an encoded surrogate", "\xed\xa0\x80", 1},
		{"an overlong encoding", "\xc0\x80", 1},
		{"an invalid byte after valid characters", "é\ufffdabcdefgh\x80", 14},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var (
				s wire.Scanner
				m wire.Message
			)
			start := `{"id":7,"method":"m","x":`
			err := s.Scan([]byte(start+`"`+tt.text+`"}`), &m)
			if !errors.Is(err, wire.ErrNotUTF8) {
				t.Fatalf("error %v, want ErrNotUTF8", err)
			}
			if want := fmt.Sprintf("line is not valid UTF-8 at byte %d", len(start)+tt.at); err.Error() != want {
				t.Errorf("error %q, want %q", err, want)
			}
			if m.Kind != wire.Request || string(m.ID.Of(m.Line)) != "7" {
				t.Errorf("%v with id %s, want request 7", m.Kind, m.ID.Of(m.Line))
			}
		})
	}
}

func TestSyntaxErrorsTakePrecedenceOverEncodingErrors(t *testing.T) {
	for _, line := range []string{"[\"\xff\"", "\xff", "{\"a\":1}\xff"} {
		var (
			s wire.Scanner
			m wire.Message
		)
		if err := s.Scan([]byte(line), &m); errors.Is(err, wire.ErrNotUTF8) || err == nil {
			t.Errorf("Scan(%q): %v, want a syntax error", line, err)
		}
	}
}
