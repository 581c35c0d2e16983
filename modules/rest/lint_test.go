package rest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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
