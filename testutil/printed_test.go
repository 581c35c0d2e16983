package testutil_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"mcp-aggregator/testutil"
)

func TestTheCanaryIsFoundInOutput(t *testing.T) {
	const canary = testutil.Canary
	dots := strings.Repeat(".", 1000)
	tests := []struct {
		name, text string
		count      int
	}{
		{"nothing", "", 0},
		{"no canary", "level=ERROR stderr=[redacted]\n", 0},
		{"a part of it", canary[1:] + canary[:len(canary)-1], 0},
		{"the canary alone", canary, 1},
		{"within a word", "x" + canary + "x", 1},
		{"twice", canary + canary, 2},
		{"far apart", dots + canary + dots + canary + dots, 2},
		{"often", strings.Repeat(canary+" ", 100), 100},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"at once":      func(r io.Reader) io.Reader { return r },
		"in halves":    iotest.HalfReader,
		"byte by byte": iotest.OneByteReader,
	}
	for _, test := range tests {
		for how, reader := range readers {
			t.Run(test.name+", "+how, func(t *testing.T) {
				var through bytes.Buffer
				w, report := testutil.Search(&through)
				if _, err := io.Copy(w, reader(strings.NewReader(test.text))); err != nil {
					t.Fatal(err)
				}
				if through.String() != test.text {
					t.Errorf("what was written came through as %q", through.String())
				}
				got := report()
				if (got == "") != (test.count == 0) || strings.Count(got, "\n") != min(test.count, 10)+min(test.count, 1) {
					t.Errorf("report of %d:\n%s", test.count, got)
				}
			})
		}
	}
}
