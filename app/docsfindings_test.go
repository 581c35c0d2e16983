package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-aggregator/app"
)

var findingRow = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([^|`]+) \\|")

// Each kind of finding is in the document, with words that the program prints,
// and in the schema.
func TestEveryFindingIsDocumented(t *testing.T) {
	page, schema, source := text(t, "../docs/check.md"), text(t, "../docs/check.schema.json"), ""
	files, err := filepath.Glob("../modules/doctor/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			source += text(t, file)
		}
	}
	var documented []string
	for _, row := range findingRow.FindAllStringSubmatch(page, -1) {
		documented = append(documented, row[1])
		if !strings.Contains(source, row[2]) {
			t.Errorf("%s: nothing prints %q", row[1], row[2])
		}
	}
	kinds := constants(t, "../modules/doctor/finding.go", "Kind")
	if slices.Sort(documented); !slices.Equal(documented, kinds) {
		t.Errorf("documented: %q\nkinds: %q", documented, kinds)
	}
	for _, kind := range append(kinds, constants(t, "../config/errors.go", "Code")...) {
		if !strings.Contains(schema, strconv.Quote(kind)) || !strings.Contains(page, "`"+kind+"`") {
			t.Errorf("%s is missing in the schema or the document", kind)
		}
	}
}

func TestEveryClientOfCheckIsDocumented(t *testing.T) {
	if want := "one of `" + strings.Join(app.Clients(), "`, `") + "` |"; !strings.Contains(text(t, "../docs/check.md"), want) {
		t.Errorf("docs/check.md does not have %s", want)
	}
	for _, key := range app.ClientKeys() { // those of docs/clients.md, as TestTheDocumentedClientsAreThoseOfTheCode says
		if !slices.Contains(app.Clients(), key) {
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
