package testutil

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Corpus returns the inputs that long runs of a fuzz target found interesting, from
// testdata/corpus/TARGET.txt. Each line is one input: quoted Go strings, one for each
// argument, separated by tabs.
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

// Conforms fails the test unless a JSON document is valid against the JSON Schema in file.
func Conforms(tb testing.TB, file string, document []byte) {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		tb.Fatalf("not a JSON document: %v: %.1000s", err, document)
	}
	if err := resolved.Validate(value); err != nil {
		tb.Errorf("%s: %v: %.4000s", file, err, document)
	}
}
