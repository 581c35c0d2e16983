package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-aggregator/config/clienttable"
)

// Adding a client is one edit, because no other code names one.
func TestOnlyTheTableOfClientsNamesThem(t *testing.T) {
	var names, titles []string
	for _, c := range clienttable.All() {
		names, titles = append(append(names, c.Key), c.Names...), append(titles, c.Title)
	}
	exempt := map[string]bool{
		"config/clienttable": true,
		"modules/mcpclient":  true, // "cursor" and "nextCursor" are members of tools/list
		"modules/wire":       true,
		"release":            true, // one of its bundles is for one client
	}
	for _, p := range listPackages(t) {
		if path := strings.TrimPrefix(p.ImportPath, module); exempt[path] || strings.HasPrefix(path, "testutil") {
			continue
		}
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(node ast.Node) bool {
				if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					text, _ := strconv.Unquote(literal.Value)
					if slices.Contains(names, text) || slices.ContainsFunc(titles, func(title string) bool { return strings.Contains(text, title) }) {
						t.Errorf("%s/%s has %s", p.ImportPath, file, literal.Value)
					}
				}
				return true
			})
		}
	}
}
