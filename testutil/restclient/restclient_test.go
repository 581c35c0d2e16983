package restclient_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTheClientIsMadeFromTheDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator")
	}
	out := filepath.Join(t.TempDir(), "client.gen.go")
	generate := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../tools.mod", "oapi-codegen",
		"-config", "config.yaml", "-o", out, "../../modules/rest/testdata/openapi.json")
	if text, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if !bytes.Equal(read(t, out), read(t, "client.gen.go")) {
		t.Error("the document has changed: run go generate -C testutil/restclient")
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
