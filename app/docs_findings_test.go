package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-aggregator/app/check"
	"mcp-aggregator/app/setup"
)

var findingRow = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ")

// Each kind of finding is in the table of docs/check.md, and all kinds and error codes are
// in the schema.
func TestEveryFindingIsDocumented(t *testing.T) {
	schema := text(t, "../docs/check.schema.json")
	kinds := constants(t, "../modules/doctor/finding.go", "Kind")
	var documented []string
	for _, row := range findingRow.FindAllStringSubmatch(text(t, "../docs/check.md"), -1) {
		documented = append(documented, row[1])
	}
	if slices.Sort(documented); !slices.Equal(documented, kinds) {
		t.Errorf("documented: %q\nkinds: %q", documented, kinds)
	}
	for _, kind := range append(kinds, constants(t, "../config/errors.go", "Code")...) {
		if !strings.Contains(schema, strconv.Quote(kind)) {
			t.Errorf("%s is missing in the schema", kind)
		}
	}
}

func TestCheckKnowsEveryClient(t *testing.T) {
	for _, key := range setup.Clients() {
		if !slices.Contains(check.Clients(), key) {
			t.Errorf("check knows no %s", key)
		}
	}
}

func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// constants returns the values of a file's string constants of one type, sorted.
func constants(t *testing.T, file, typ string) (values []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok {
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == typ {
				value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, value)
			}
		}
		return true
	})
	slices.Sort(values)
	return values
}
