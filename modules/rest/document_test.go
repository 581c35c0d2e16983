package rest_test

import (
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

var update = flag.Bool("update", false, "rewrite testdata/openapi.json")

const golden = "testdata/openapi.json"

func TestTheDocumentIsTheOneInTestdata(t *testing.T) {
	f := newFakes()
	f.options.Version = "dev"
	got := send(t, f.start(t), http.MethodGet, "/api/v1/openapi.json", "")
	if *update {
		if err := os.WriteFile(golden, []byte(got.body+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.body+"\n" != string(want) {
		t.Errorf("the document has changed: look at the difference after\n\tgo test ./modules/rest -run Document -update && go generate -C testutil/restclient")
	}
}

// The schema is that of the specification, 2022-10-07, whose licence is Apache-2.0.
func TestTheDocumentIsOpenAPI31(t *testing.T) {
	got := send(t, newFakes().start(t), http.MethodGet, "/api/v1/openapi.json", "")
	if version := get(t, got.body, "openapi"); version != "3.1.0" {
		t.Errorf("it is OpenAPI %v", version)
	}
	testutil.Conforms(t, "testdata/oas31-schema.json", []byte(got.body))
}

func TestWhatDescribesTheAPIIsServedWhole(t *testing.T) {
	f := newFakes()
	f.options.Token = "a token that these need not have"
	address := f.start(t)
	for path, want := range map[string]struct{ kind, text string }{
		"/api/v1/openapi.json": {"application/openapi+json", `"openapi": "3.1.0"`},
		"/api/v1/openapi.yaml": {"application/openapi+yaml", "openapi: 3.1.0"},
		"/api/v1/docs":         {"text/html; charset=utf-8", "<h3>Register a server</h3>"},
	} {
		t.Run(path, func(t *testing.T) {
			got := send(t, address, http.MethodGet, path, "")
			if got.status != http.StatusOK || got.header.Get("Content-Type") != want.kind || !strings.Contains(got.body, want.text) {
				t.Errorf("status %d, %s: %.300s", got.status, got.header.Get("Content-Type"), got.body)
			}
		})
	}
}

func TestThePageLoadsNothing(t *testing.T) {
	got := send(t, newFakes().start(t), http.MethodGet, "/api/v1/docs", "")
	for _, loads := range []string{"<script", "<link", "<img", "<iframe", "src=", "@import", "url("} {
		if strings.Contains(got.body, loads) {
			t.Errorf("the page has %s", loads)
		}
	}
	if policy := got.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("its policy lets it load something: %q", policy)
	}
}

func TestThePageShowsEveryOperationAndType(t *testing.T) {
	address := newFakes().start(t)
	page := send(t, address, http.MethodGet, "/api/v1/docs", "").body
	document := send(t, address, http.MethodGet, "/api/v1/openapi.json", "").body
	for path, item := range get(t, document, "paths").(map[string]any) {
		for method, operation := range item.(map[string]any) {
			for _, shown := range []string{path, strings.ToUpper(method), operation.(map[string]any)["summary"].(string)} {
				if !strings.Contains(page, ">"+shown+"<") {
					t.Errorf("the page lacks %s", shown)
				}
			}
		}
	}
	for name := range get(t, document, "components", "schemas").(map[string]any) {
		if !strings.Contains(page, `id="type-`+name+`"`) {
			t.Errorf("the page lacks the type %s", name)
		}
	}
}

// The strict rules are the recommended ones, whose warnings are errors.
func TestTheDocumentPassesRedoclysLint(t *testing.T) {
	packages, err := filepath.Abs("../../testutil/npm/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(packages, ".package-lock.json")); err != nil {
		t.Skip("the packages of npm are not installed: make test does that")
	}
	document, err := filepath.Abs(golden)
	if err != nil {
		t.Fatal(err)
	}
	lint := exec.CommandContext(t.Context(), "node", filepath.Join(packages, "@redocly", "cli", "bin", "cli.js"),
		"lint", "--extends", "recommended-strict", document)
	lint.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
