package main_test

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

const program = "mcp-simple-aggregator"

// dist is the folder that `make release` writes. Without it the tests of what is in it
// are skipped, but not in CI.
func dist(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../dist")
	if err == nil {
		_, err = os.Stat(filepath.Join(path, "checksums.txt"))
	}
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") != "":
		t.Fatalf("CI tests what make release builds: %v", err)
	default:
		t.Skipf("*** SKIPPED: make release builds what this tests: %v ***", err)
	}
	return ""
}

// artefact is the one file of the release whose name is the pattern, with * for the
// version.
func artefact(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist(t), strings.ReplaceAll(pattern, "*", "[0-9]*")))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, want one file", pattern, found)
	}
	return found[0]
}

// platforms are those that a release is for: GOOS, GOARCH.
var platforms = [][2]string{
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

// info is the build information of the binary for a platform.
func info(t *testing.T, goos, goarch string) *buildinfo.BuildInfo {
	t.Helper()
	path := filepath.Join(dist(t), "build", goos+"-"+goarch, program)
	if goos == "windows" {
		path += ".exe"
	}
	found, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// version is the release's, as files are named.
func version(t *testing.T) string {
	t.Helper()
	found := info(t, "linux", "amd64").Main.Version
	found, _, _ = strings.Cut(strings.TrimPrefix(found, "v"), "+")
	if found == "" || found == "(devel)" {
		return "0.0.0-dev"
	}
	return found
}

// run runs a command to its end and returns what it prints.
func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

// needs skips a test that a machine without the commands cannot run. CI has them.
func needs(t *testing.T, commands ...string) {
	t.Helper()
	for _, name := range commands {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing: .ci/run installs it", name)
		}
		t.Skipf("*** SKIPPED: %s is not installed ***", name)
	}
}

// onLinuxAMD64 skips what runs a binary or a package that other machines cannot.
func onLinuxAMD64(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the package is for Linux on amd64")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
