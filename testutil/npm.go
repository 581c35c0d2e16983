package testutil

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// NPM returns the path of something in testutil/npm, where make test installs the
// servers and clients from npm. Without Node or without that the test is skipped, but
// not in CI.
func NPM(tb testing.TB, elements ...string) string {
	tb.Helper()
	folder, err := npmFolder()
	path := filepath.Join(append([]string{folder}, elements...)...)
	if err == nil {
		_, err = exec.LookPath("node")
	}
	if err == nil {
		_, err = os.Stat(path)
	}
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		tb.Fatalf("real servers are required in CI (make test installs them): %v", err)
	}
	tb.Skipf("*** SKIPPED: no real servers; install Node and run make test: %v ***", err)
	return ""
}

// npmFolder searches the folders above the one that the test runs in.
func npmFolder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; folder = filepath.Dir(folder) {
		path := filepath.Join(folder, "testutil", "npm")
		if _, err := os.Stat(filepath.Join(path, "package.json")); err == nil {
			return path, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("there is no folder testutil/npm above this one")
		}
	}
}
