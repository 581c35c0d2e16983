package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A clone has what the tag is found by; nothing tells the build of it.
func TestTheBinaryOfATagSaysTheTag(t *testing.T) {
	needs(t, "git")
	root, err := filepath.Abs("..")
	check(t, err)
	if err := exec.CommandContext(t.Context(), "git", "-C", root, "rev-parse", "HEAD").Run(); err != nil {
		t.Skip("this is no clone")
	}
	clone := filepath.Join(t.TempDir(), "clone")
	run(t, ".", "git", "clone", "--quiet", "--no-hardlinks", root, clone)
	binary := filepath.Join(t.TempDir(), program+".exe")
	t.Setenv("CGO_ENABLED", "0") // as releases are built, and so in the cache
	said := func() string {
		run(t, clone, "go", "build", "-trimpath", "-buildvcs=true", "-o", binary, "./cmd/"+program)
		return strings.TrimSpace(run(t, clone, binary, "--version"))
	}
	commit := strings.TrimSpace(run(t, clone, "git", "rev-parse", "--short=12", "HEAD"))
	if got := said(); !strings.HasSuffix(got, "-"+commit) {
		t.Errorf("a commit without a tag says %s, want a version that ends with -%s", got, commit)
	}
	run(t, clone, "git", "tag", "v1.2.3")
	if got := said(); got != "v1.2.3" {
		t.Errorf("the tag v1.2.3 says %s", got)
	}
}
