package setup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mcp-aggregator/app/cli"
)

// executable returns the absolute path of this program as it was called: the link of a
// package manager stays in its place when the program is replaced.
func executable() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	switch {
	case isOfGoRun(path):
		return "", errors.New("this program lies in a temporary folder, as that of `go run` does; build or install it first, and run that")
	case isTemporary(path):
		return "", fmt.Errorf("this program lies in %s, a temporary folder, which may be emptied; move it to where it can stay, and run it there", cli.Quote(filepath.Dir(path)))
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return path, nil //nolint:nilerr // it was not called by a path or a name on PATH
	}
	if called, err = filepath.Abs(called); err == nil && sameFile(called, path) {
		return called, nil
	}
	return path, nil
}

// executableOrNone returns the path that distinguishes this program from others, or ""
// if there is none: its name alone mostly does.
func executableOrNone() string {
	path, err := executable()
	if err != nil {
		return ""
	}
	return path
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// isCached reports whether the path is in the cache of npx.
func isCached(path string) bool { return slices.Contains(elements(path), "_npx") }

func elements(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }

func isOfGoRun(path string) bool {
	return slices.ContainsFunc(elements(path), func(e string) bool { return strings.HasPrefix(e, "go-build") })
}

func isTemporary(path string) bool {
	temporary, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		temporary = os.TempDir()
	}
	inside, err := filepath.Rel(temporary, path)
	return err == nil && filepath.IsLocal(inside)
}
