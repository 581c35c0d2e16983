package wire_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/modules/wire"
)

func TestNestingMayBeOfAnyDepth(t *testing.T) {
	const depth = 1_000_000
	tests := []struct{ name, open, inside, end string }{
		{"arrays", "[", "", "]"},
		{"objects", `{"a":`, "1", "}"},
		{"arrays and objects in turn", `[{"a":`, "null", "}]"},
		{"values before and after", `[1,{"a":[],"b":`, `""`, `,"c":{}},2]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			deep := strings.Repeat(tt.open, depth) + tt.inside + strings.Repeat(tt.end, depth)
			m := scanLine(t, `{"id":1,"result":`+deep+`}`)
			if got := string(m.Result.Of(m.Line)); got != deep {
				t.Errorf("the result has %d bytes, want %d", len(got), len(deep))
			}
		})
	}
}

// irregularNesting returns the brackets that open and close containers, in an order
// that differs in each word of the stack.
func irregularNesting(depth int) (open string, end []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for range depth {
		if random.IntN(2) == 0 {
			open, end = open+"[", append(end, ']')
		} else {
			open, end = open+`{"a":`, append(end, '}')
		}
	}
	slices.Reverse(end)
	return open, end
}

func TestNestingMayBeIrregular(t *testing.T) {
	open, end := irregularNesting(1000)
	line := open + "1" + string(end)
	scanLine(t, "["+line+","+line+"]")
}

func TestNestingIsClosedAsItWasOpened(t *testing.T) {
	const depth = 200 // several words of the stack
	for wrong := range depth {
		open, end := irregularNesting(depth)
		end[wrong] ^= '}' ^ ']'
		var (
			s wire.Scanner
			m wire.Message
		)
		line := open + "1" + string(end)
		syntax, ok := errors.AsType[*wire.SyntaxError](s.Scan([]byte(line), &m))
		if want := len(open) + 1 + wrong; !ok || syntax.Offset != want {
			t.Errorf("closing byte %d is wrong: %v, want an error at %d", wrong, syntax, want)
		}
	}
}

func TestTheMemoryForADeepLineIsBounded(t *testing.T) {
	var (
		s wire.Scanner
		m wire.Message
	)
	for _, line := range []string{strings.Repeat("[", 1_000_000), "[]"} {
		_ = s.Scan([]byte(line), &m)
	}
	if got := s.KeptBytes(); got > 8<<10 {
		t.Errorf("%d bytes are kept, want at most 8 KiB", got)
	}
}

func TestLinesThatEndEarlyDoNotAccumulateMemory(t *testing.T) {
	var (
		s wire.Scanner
		m wire.Message
	)
	for range 100 {
		_ = s.Scan([]byte(strings.Repeat("[", 200)), &m)
	}
	if got := s.KeptBytes(); got > 64 {
		t.Errorf("%d bytes are kept for 200 levels, want at most 64", got)
	}
}
