package app_test

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "mcp-aggregator/"

// importRules are the tables of docs/architecture.md.
type importRules struct {
	packages  []string            // in their order there
	ours      map[string][]string // of the project's own packages, by package
	libraries map[string][]string // by package
}

var inBackquotes = regexp.MustCompile("`([^`]+)`")

func readImportRules(t *testing.T) importRules {
	t.Helper()
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Imports\n")
	section, _, _ = strings.Cut(section, "\n## ")
	r := importRules{ours: map[string][]string{}, libraries: map[string][]string{}}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		name := inBackquotes.FindStringSubmatch(cells[1])[1]
		var others []string
		for _, match := range inBackquotes.FindAllStringSubmatch(cells[len(cells)-2], -1) {
			others = append(others, match[1])
		}
		if len(cells) == 4 { // | package | imports |
			r.packages = append(r.packages, name)
			r.ours[name] = others
			continue
		}
		for _, user := range others {
			r.libraries[user] = append(r.libraries[user], name)
		}
	}
	if len(r.packages) < 20 || len(r.libraries) < 10 {
		t.Fatalf("docs/architecture.md has rules of %d packages and libraries of %d", len(r.packages), len(r.libraries))
	}
	return r
}

// allow reports whether a package may import another one.
func (r importRules) allow(name, imported string) bool {
	if own, ours := strings.CutPrefix(imported, module); ours {
		return slices.Contains(r.ours[name], own)
	}
	standard := !strings.Contains(strings.Split(imported, "/")[0], ".")
	return standard || slices.ContainsFunc(r.libraries[name], func(library string) bool {
		return imported == library || strings.HasPrefix(imported, library+"/")
	})
}

func TestImportsRunOneWayOnly(t *testing.T) {
	rules, exist := readImportRules(t), map[string]bool{}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		exist[name] = true
		if !slices.Contains(rules.packages, name) {
			t.Errorf("docs/architecture.md has no rule for package %s", name)
		}
		for _, imported := range p.Imports {
			if !rules.allow(name, imported) {
				t.Errorf("%s must not import %s", name, imported)
			}
		}
	}
	for _, name := range slices.Concat(stdioPackages, servicePackages) {
		if !exist[name] {
			t.Errorf("a test says who links %s, which is no package", name)
		}
	}
	for name := range rules.libraries {
		if !exist[name] {
			t.Errorf("docs/architecture.md allows libraries to %s, which is no package", name)
		}
	}
	for _, name := range rules.packages {
		if !exist[name] {
			t.Errorf("docs/architecture.md has a rule for %s, which is no package", name)
		}
	}
}

// The lines of .golangci.yml around the rules in the linter's form.
const (
	lintBegin = "        # From docs/architecture.md, by go test ./app -run Imports -update:\n"
	lintEnd   = "        # So far from docs/architecture.md.\n"
)

func TestTheLinterKnowsTheImportsThatAreAllowed(t *testing.T) {
	const file = "../.golangci.yml"
	config := text(t, file)
	before, rest, begun := strings.Cut(config, lintBegin)
	_, after, ended := strings.Cut(rest, lintEnd)
	if !begun || !ended {
		t.Fatalf("%s has no place for the rules", file)
	}
	want := before + lintBegin + readImportRules(t).depguard() + lintEnd + after
	if config == want {
		return
	}
	if !*update {
		t.Fatalf("%s has other rules than docs/architecture.md: run go test ./app -run Imports -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// reasons are the messages of the linter for an import that is not allowed.
const reasons = ` &reasons
            - pkg: mcp-aggregator
              desc: "docs/architecture.md (Imports) has no such edge: declare an interface here, and adapt it in bind.go"
            - pkg: github.com
              desc: "docs/architecture.md (Imports) says who uses which library"
            - pkg: golang.org/x
              desc: "docs/architecture.md (Imports) says who uses which library"
`

// depguard returns the rules as configuration of the linter depguard. It denies what the
// tables do not allow.
func (r importRules) depguard() string {
	var out strings.Builder
	why := reasons
	for _, name := range r.packages {
		out.WriteString("        " + name + ":\n          list-mode: strict\n")
		out.WriteString(`          files: ["${base-path}/` + name + `/*.go", "!$test"]` + "\n          allow:\n            - $gostd\n")
		for _, library := range r.libraries[name] {
			out.WriteString("            - " + library + "\n")
		}
		for _, own := range r.ours[name] {
			out.WriteString("            - " + module + own + "$\n")
		}
		out.WriteString("          deny:" + why)
		why = " *reasons\n"
	}
	return out.String()
}

func TestOnlyTheModuleFileImportsFx(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(name, "app") || name == "testutil" {
			continue
		}
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, imported := range parsed.Imports {
				if imported.Path.Value == `"go.uber.org/fx"` && file != "module.go" {
					t.Errorf("%s/%s imports fx", name, file)
				}
			}
		}
	}
}

// servicePackages are linked by mcp-aggregator alone.
var servicePackages = []string{
	"app/admin", "app/service", "modules/catalog", "modules/dense", "modules/dense/flat", "modules/dense/model2vec",
	"modules/dense/openai", "modules/dense/pgvector", "modules/dense/qdrant", "modules/gateway", "modules/profiles", "modules/remote", "modules/rest",
	"modules/router", "modules/servers", "modules/sessions", "modules/store",
}

// stdioPackages are linked by mcp-simple-aggregator alone.
var stdioPackages = []string{
	"app/check", "app/setup", "app/simple", "config/clients", "modules/doctor", "modules/upstream",
}

func TestTheServiceLinksNothingOfTheStdioProgram(t *testing.T) {
	for _, dep := range linked(t, "..", "./cmd/mcp-aggregator") {
		own, ours := strings.CutPrefix(dep, module)
		if ours && (slices.Contains(stdioPackages, own) || strings.HasPrefix(own, "testutil")) {
			t.Errorf("it links %s", dep)
		}
	}
}

// The stdio program makes no network call and knows no storage.
func TestTheStdioProgramLinksNothingOfTheService(t *testing.T) {
	for _, dep := range linked(t, "..", "./cmd/mcp-simple-aggregator") {
		own, ours := strings.CutPrefix(dep, module)
		if dep == "database/sql" || dep == "net/http/httptest" || strings.Contains(dep, "huma") || strings.Contains(dep, "pgx") || strings.HasPrefix(dep, "modernc.org/") ||
			ours && (slices.Contains(servicePackages, own) || strings.HasPrefix(own, "testutil")) {
			t.Errorf("it links %s", dep)
		}
	}
}

// nested returns the folders of the modules beside the product.
func nested(t *testing.T) []string {
	t.Helper()
	var folders []string
	for _, pattern := range []string{"../*/go.mod", "../*/*/go.mod"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			folders = append(folders, filepath.Dir(file))
		}
	}
	if len(folders) < 3 {
		t.Fatalf("there are only %q", folders)
	}
	return folders
}

func TestTheModulesBesideTheProductLinkNothingOfIt(t *testing.T) {
	for _, folder := range nested(t) {
		own := module + strings.TrimPrefix(filepath.ToSlash(folder), "../")
		for _, dep := range linked(t, folder, "./...") {
			if strings.HasPrefix(dep, module) && dep != own && !strings.HasPrefix(dep, own+"/") {
				t.Errorf("%s links %s", own, dep)
			}
		}
	}
}

// The modules beside the product measure and package what the product requires.
func TestTheModulesBesideTheProductRequireItsVersions(t *testing.T) {
	product := required(t, "..")
	for _, folder := range nested(t) {
		for path, version := range required(t, folder) {
			if want := product[path]; want != "" && version != want {
				t.Errorf("%s requires %s %s, the product %s: run go get %s@%s there", folder, path, version, want, path, want)
			}
		}
	}
}

// required returns the versions of a module's direct requirements.
func required(t *testing.T, folder string) map[string]string {
	t.Helper()
	var file struct {
		Require []struct {
			Path, Version string
			Indirect      bool
		}
	}
	if err := json.Unmarshal([]byte(goTool(t, folder, "mod", "edit", "-json")), &file); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, r := range file.Require {
		if !r.Indirect {
			versions[r.Path] = r.Version
		}
	}
	return versions
}

// linked returns all packages that packages depend on, apart from their tests.
func linked(t *testing.T, folder, packages string) []string {
	t.Helper()
	return strings.Fields(goTool(t, folder, "list", "-deps", packages))
}

// goTool runs the go tool in a folder.
func goTool(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			out = exit.Stderr
		}
		t.Fatalf("go %q: %v: %s", args, err, out)
	}
	return string(out)
}

type goPackage struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	var packages []goPackage
	decoder := json.NewDecoder(strings.NewReader(goTool(t, "..", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...")))
	for {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
