package testutil

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Conforms fails the test unless a JSON document is as the JSON Schema in a file
// says.
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
