//go:build unix

package child_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-aggregator/modules/child"
)

// layOut makes files below a new folder, which is the current one from then
// on. A name that ends in a slash is a folder, one that ends in an asterisk is
// executable.
func layOut(t *testing.T, names ...string) (folder string) {
	t.Helper()
	t.Chdir(t.TempDir())
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path, mode := filepath.Join(folder, strings.TrimSuffix(name, "*")), os.FileMode(0o600)
		if strings.HasSuffix(name, "*") {
			mode = 0o700
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(filepath.Join(folder, name), 0o700)
		} else {
			err = os.WriteFile(path, []byte("#!/bin/sh\n"), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestLookPath(t *testing.T) {
	folder := layOut(t, "a/run*", "b/run*", "b/only*", "a/plain", "c/plain*", "a/dir/", "c/dir*", "a/lonely/", "a/text", "here*", "~/run*", "dir/sub*")
	const notOnPath = " is not on its PATH: give its absolute path, or set PATH in the server's env"
	tests := []struct {
		name, command, path, dir string
		want                     string // @ stands for the folder
		problem                  string
	}{
		{name: "the first folder of PATH wins", command: "run", path: "@/a:@/b", want: "@/a/run"},
		{name: "a later folder", command: "only", path: "@/a:@/b", want: "@/b/only"},
		{name: "a folder of PATH that does not exist", command: "run", path: "@/none:@/b", want: "@/b/run"},
		{name: "a file that is not executable is passed over", command: "plain", path: "@/a:@/c", want: "@/c/plain"},
		{name: "a folder of that name is passed over", command: "dir", path: "@/a:@/c", want: "@/c/dir"},
		{name: "relative folders of PATH are no place for commands", command: "run", path: "a:./b::@/b", want: "@/b/run"},
		{name: "only relative folders", command: "run", path: "a:.::b", problem: `command "run"` + notOnPath},
		{name: "an empty PATH", command: "here", path: "", problem: `command "here"` + notOnPath},
		{name: "the server's folder is not on PATH", command: "here", path: "@/a", dir: "@", problem: `command "here"` + notOnPath},
		{name: "nowhere", command: "nowhere", path: "@/a:@/b", problem: `command "nowhere"` + notOnPath},
		{name: "only a folder of that name", command: "lonely", path: "@/a", problem: `command "lonely"` + notOnPath},
		{name: "only a file that is not executable", command: "text", path: "@/a:@/b", problem: `command "text" is on its PATH, but not executable`},
		{name: "a path", command: "@/a/run", path: "@/b", want: "@/a/run"},
		{name: "a path relative to the folder of the server", command: "./run", path: "@/a", dir: "@/b", want: "@/b/run"},
		{name: "a path relative to the folder above the server's", command: "../a/run", dir: "@/b", want: "@/a/run"},
		{name: "a path without a dot, relative to the folder of the server", command: "dir/sub", dir: "@", want: "@/dir/sub"},
		{name: "a path relative to our own folder", command: "./here", want: "./here"},
		{name: "a path without a dot, relative to our own folder", command: "a/run", want: "./a/run"},
		{name: "a path that is not executable", command: "@/a/text", problem: `command "@/a/text" is not executable`},
		{name: "a path that does not exist", command: "./none", dir: "@/b", problem: `command "./none" does not exist`},
		{name: "a path that is a folder", command: "./dir", dir: "@/a", problem: `command "./dir" is a folder`},
		{name: "a path beyond a file", command: "@/a/run/x", problem: `command "@/a/run/x" does not exist`},
		{name: "a tilde", command: "~/nowhere", problem: `command "~/nowhere" does not exist: ~ is not expanded, write ${HOME} instead`},
		{name: "a folder that is called ~", command: "~/run", want: "./~/run"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			at := func(s string) string { return strings.ReplaceAll(s, "@", folder) }
			got, err := child.LookPath(at(test.command), []string{"PATH=/first", "X=" + folder, "PATH=" + at(test.path)}, at(test.dir))
			problem := ""
			if err != nil {
				problem = err.Error()
			}
			if got != at(test.want) || problem != at(test.problem) {
				t.Errorf("found %q, problem %q\nwant  %q, problem %q", got, problem, at(test.want), at(test.problem))
			}
		})
	}
}

func TestLookPathWithoutAPath(t *testing.T) {
	layOut(t, "run*")
	if got, err := child.LookPath("run", nil, ""); err == nil {
		t.Errorf("found %q", got)
	}
}
