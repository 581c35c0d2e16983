package app_test

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "mcp-aggregator/"

// allowed is the import rules between the project's own packages: what each
// may import. A package that is not named may not exist.
var allowed = map[string][]string{
	"config":                    {},
	"config/clienttable":        {},
	"config/clients":            {"config", "config/clienttable"},
	"modules/wire":              {},
	"modules/redact":            {},
	"modules/toollist":          {"modules/wire"},
	"modules/child":             {"config", "modules/redact", "modules/toollist", "modules/wire"},
	"modules/remote":            {"modules/redact", "modules/servers", "modules/sessions", "modules/toollist", "modules/wire"},
	"modules/doctor":            {"config/clienttable"},
	"modules/registry":          {"config/clienttable", "modules/wire"},
	"modules/upstream":          {"modules/registry", "modules/wire"},
	"modules/servers":           {},
	"modules/sessions":          {"modules/servers", "modules/wire"},
	"modules/catalog":           {"modules/registry", "modules/servers", "modules/wire"},
	"modules/router":            {"modules/registry", "modules/servers", "modules/sessions", "modules/wire"},
	"modules/gateway":           {"modules/registry", "modules/router", "modules/servers", "modules/wire"},
	"modules/rest":              {"modules/servers", "modules/wire"},
	"modules/store":             {"modules/servers"},
	"app":                       {"config", "config/clients", "config/clienttable", "modules/child", "modules/doctor", "modules/redact", "modules/registry", "modules/upstream", "modules/wire"},
	"app/service":               {"app", "config", "modules/catalog", "modules/child", "modules/gateway", "modules/registry", "modules/remote", "modules/rest", "modules/router", "modules/servers", "modules/sessions", "modules/store", "modules/wire"},
	"cmd/mcp-simple-aggregator": {"app", "config"},
	"app/admin":                 {"modules/wire"},
	"cmd/mcp-aggregator":        {"app", "app/admin", "app/service"},
	"testutil":                  {"config", "modules/child", "modules/wire"},
	"testutil/pgtest":           {},
	"testutil/restclient":       {},
	"testutil/screen":           {},
	"testutil/storetest":        {"modules/servers"},
	"bench":                     {"bench/payload", "bench/proc", "bench/report"},
	"bench/child":               {"bench/payload"},
	"bench/empty":               {},
	"bench/payload":             {},
	"bench/proc":                {},
	"bench/relay":               {},
	"bench/report":              {},
	"bench/typedproxy":          {},
	"release":                   {},

	"testutil/clienttest":        {},
	"bench/benchservice":         {"bench/payload", "bench/proc", "bench/report"},
	"bench/benchservice/backend": {"bench/payload"},
}

// serviceModules are those that mcp-aggregator alone consists of.
var serviceModules = []string{
	"app/admin", "app/service", "modules/catalog", "modules/gateway", "modules/remote", "modules/rest",
	"modules/router", "modules/servers", "modules/sessions", "modules/store",
}

// libraries are the modules outside the standard library, and the packages
// that alone may import them.
var libraries = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"modules/wire", "modules/child", "modules/upstream", "modules/remote", "modules/router", "modules/gateway", "testutil", "bench/typedproxy"},
	"go.uber.org/goleak":                     {"testutil"},
	"go.uber.org/fx":                         slices.Concat(serviceModules, []string{"config", "modules/child", "modules/registry", "modules/upstream", "app", "testutil"}),
	"github.com/danielgtaylor/huma/v2":       {"modules/rest"},
	"github.com/alecthomas/kong":             {"cmd/mcp-simple-aggregator", "cmd/mcp-aggregator"},
	"github.com/oapi-codegen/runtime":        {"testutil/restclient"},
	"github.com/google/jsonschema-go":        {"testutil"},
	"github.com/rodaine/table":               {"app", "app/admin"},
	"golang.org/x/sys":                       {"app", "cmd/mcp-simple-aggregator", "modules/child", "modules/upstream", "bench/relay"},
	"golang.org/x/term":                      {"cmd/mcp-simple-aggregator"},
	"golang.org/x/text":                      {"app"},
	"golang.org/x/time":                      {"modules/child", "modules/remote"},
	"golang.org/x/tools":                     {"bench/report"},
	"gonum.org/v1/plot":                      {"bench/report"},
	"github.com/tailscale/hujson":            {"config/clients"},
	"github.com/aymanbagabas/go-udiff":       {"config/clients"},
	"github.com/CycloneDX/cyclonedx-go":      {"release"},
	"github.com/google/rpmpack":              {"release"},
	"github.com/cenkalti/backoff":            {"modules/sessions", "modules/store"},
	"go.uber.org/dig":                        {"app/service"},
	"github.com/jackc/pgx":                   {"modules/store", "testutil/pgtest"},
	"github.com/pressly/goose":               {"modules/store"},
	"modernc.org/sqlite":                     {"modules/store"},
	"github.com/google/go-cmp":               {"testutil/storetest"},
	"github.com/google/uuid":                 {"modules/servers", "testutil/storetest"},
	"pgregory.net/rapid":                     {"testutil/storetest"},
}

type goPackage struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func TestImportsRunOneWayOnly(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		may, known := allowed[name]
		if !known {
			t.Errorf("package %s has no place in the import rules", name)
		}
		for _, imported := range p.Imports {
			switch {
			case strings.HasPrefix(imported, module):
				if target := strings.TrimPrefix(imported, module); !slices.Contains(may, target) {
					t.Errorf("%s must not import %s", name, target)
				}
			case strings.Contains(strings.Split(imported, "/")[0], "."):
				checkLibrary(t, name, imported)
			}
		}
	}
}

func checkLibrary(t *testing.T, name, imported string) {
	t.Helper()
	for library, users := range libraries {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			if !slices.Contains(users, name) {
				t.Errorf("%s must not import %s", name, imported)
			}
			return
		}
	}
	t.Errorf("%s imports %s, which no rule allows", name, imported)
}

func TestOnlyTheModuleFileKnowsFx(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if name == "app" || name == "app/service" || name == "testutil" {
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

// The stdio program makes no network call and knows no storage.
func TestTheStdioProgramLinksNothingOfTheService(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"cmd/mcp-simple-aggregator").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		own, ours := strings.CutPrefix(dep, module)
		if dep == "database/sql" || dep == "net/http/httptest" || strings.Contains(dep, "huma") || strings.Contains(dep, "pgx") || strings.HasPrefix(dep, "modernc.org/") ||
			ours && (slices.Contains(serviceModules, own) || strings.HasPrefix(own, "testutil")) {
			t.Errorf("it links %s", dep)
		}
	}
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,GoFiles", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
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
