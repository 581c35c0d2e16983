package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxTerms is the number of terms that a newcomer can be expected to learn.
const maxTerms = 30

var (
	qualifiedName = regexp.MustCompile("`([a-z][a-z0-9]*\\.\\w+(?:\\.\\w+)?)`")
	glossaryRow   = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| (.+) \|$`)
)

func TestTheGlossaryNamesWhatExists(t *testing.T) {
	_, section, _ := strings.Cut(text(t, "../docs/architecture.md"), "\n## Glossary\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, table, _ := strings.Cut(section, "|---|---|---|\n")
	declared, terms := declarations(t), map[string]bool{}
	for _, row := range glossaryRow.FindAllStringSubmatch(table, -1) {
		if terms[row[1]] {
			t.Errorf("%q is there twice", row[1])
		}
		terms[row[1]] = true
		names := qualifiedName.FindAllStringSubmatch(row[2], -1)
		if len(names) == 0 {
			t.Errorf("%q has no name in the code", row[1])
		}
		for _, name := range names {
			if !declared[name[1]] {
				t.Errorf("%q is %s, which does not exist", row[1], name[1])
			}
		}
	}
	if len(terms) < 20 || len(terms) > maxTerms || len(terms) != strings.Count(table, "\n|")+1 {
		t.Errorf("the glossary has %d terms in %d rows; at most %d are allowed", len(terms), strings.Count(table, "\n|")+1, maxTerms)
	}
}

// The page names files and functions elsewhere, too, such as in its recipes.
func TestTheArchitectureNamesWhatExists(t *testing.T) {
	page, _, _ := strings.Cut(text(t, "../docs/architecture.md"), "\n## Imports\n")
	declared, packages, checked := declarations(t), map[string]bool{}, 0
	for name := range declared {
		packages[strings.Split(name, ".")[0]] = true
	}
	for _, match := range qualifiedName.FindAllStringSubmatch(page, -1) {
		pkg, _, _ := strings.Cut(match[1], ".")
		if !packages[pkg] || strings.HasSuffix(match[1], ".go") {
			continue // not of ours, or a file
		}
		checked++
		if !declared[match[1]] {
			t.Errorf("%s does not exist", match[1])
		}
	}
	if checked < 60 {
		t.Errorf("only %d names were checked", checked)
	}
}

// declarations returns the names that the packages of the project declare outside their
// tests, as package.Name, and the fields and methods of types, as package.Type.Member.
func declarations(t *testing.T) map[string]bool {
	t.Helper()
	declared := map[string]bool{}
	for _, p := range listPackages(t) {
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, declaration := range parsed.Decls {
				for _, name := range declaredNames(declaration) {
					declared[parsed.Name.Name+"."+name] = true
				}
			}
		}
	}
	return declared
}

// declaredNames returns the names of one declaration: Name, and Type.Member.
func declaredNames(declaration ast.Decl) (names []string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		return []string{typeName(d.Recv.List[0].Type) + "." + d.Name.Name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
				for _, member := range memberNames(s.Type) {
					names = append(names, s.Name.Name+"."+member)
				}
			}
		}
	}
	return names
}

// typeName returns the name of a receiver's type.
func typeName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr: // a generic type
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// memberNames returns the fields of a struct, or the methods of an interface.
func memberNames(expr ast.Expr) (names []string) {
	var fields *ast.FieldList
	switch e := expr.(type) {
	case *ast.StructType:
		fields = e.Fields
	case *ast.InterfaceType:
		fields = e.Methods
	default:
		return nil
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
