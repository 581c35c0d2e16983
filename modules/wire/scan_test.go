package wire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/wire"
)

// scanLine scans a line that has to be valid.
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

// Each byte value in each place of a word, before and behind other bytes.
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
