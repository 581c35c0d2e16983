package testutil

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Corpus returns the inputs that long runs of a fuzz target found interesting:
// in testdata/corpus/TARGET.txt each line is an input, its arguments as quoted
// Go strings between tabs.
func Corpus(tb testing.TB, target string) (inputs [][]string) {
	tb.Helper()
	text, err := os.ReadFile("testdata/corpus/" + target + ".txt")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var input []string
		for quoted := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\t") {
			argument, err := strconv.Unquote(quoted)
			if err != nil {
				tb.Fatalf("%s: %s: %v", target, quoted, err)
			}
			input = append(input, argument)
		}
		inputs = append(inputs, input)
	}
	return inputs
}
