//go:build unix

package child_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
)

// script makes an executable file with that text.
func script(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// longArgument is too long for one argument on Linux (128 KiB), and for all of them on
// macOS (1 MiB).
const longArgument = 1 << 20

func TestWhyAChildCannotBeStarted(t *testing.T) {
	folder := makeFiles(t, "plain", "dir/", "elf*", "text*", "lost*", "fine*", "bin/tool*")
	for name, text := range map[string]string{"elf": "\x7fELF\x02\x01\x01", "text": "echo no first line", "lost": "#!/no/such/interpreter\n", "bin/tool": "#!/bin/sh\nexit 0\n", "fine": "#!/bin/sh\nexit 0\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const wrongFormat = ` is not a program for this machine (wrong architecture, or a script without #! line)`
	tests := []struct {
		name   string
		server config.ServerConfig
		want   string // "" if it can be
	}{
		{"nothing is wrong", config.ServerConfig{Command: "@/fine", Dir: "@/dir"}, ""},
		{"on the server's own PATH", config.ServerConfig{Command: "tool", Env: path("@/bin")}, ""},
		{"the command is missing", config.ServerConfig{Command: "tool"}, `command "tool" is not on its PATH: give its absolute path, or set PATH in the server's env`},
		{"only on our PATH, not on the server's", config.ServerConfig{Command: "sh", Env: path("@/bin")}, `command "sh" is not on its PATH: give its absolute path, or set PATH in the server's env`},
		{"the path is missing", config.ServerConfig{Command: "@/none"}, `command "@/none" does not exist`},
		{"it is a folder", config.ServerConfig{Command: "@/dir"}, `command "@/dir" is a folder`},
		{"it is not executable", config.ServerConfig{Command: "./plain", Dir: "@"}, `command "./plain" is not executable`},
		{"the cwd is missing", config.ServerConfig{Command: "@/fine", Dir: "@/none"}, `cwd "@/none" does not exist`},
		{"the cwd is a file", config.ServerConfig{Command: "@/fine", Dir: "@/plain"}, `cwd "@/plain" is not a folder`},
		{"the cwd is below a file", config.ServerConfig{Command: "@/fine", Dir: "@/plain/x"}, `cwd "@/plain/x": not a directory`},
		{"a broken binary", config.ServerConfig{Command: "@/elf"}, `command "@/elf"` + wrongFormat},
		{"a script without its first line", config.ServerConfig{Command: "@/text"}, `command "@/text"` + wrongFormat},
		{"the interpreter is missing", config.ServerConfig{Command: "@/lost"}, `command "@/lost" cannot be started: the interpreter that it names does not exist`},
		{"arguments are too long", config.ServerConfig{Command: "@/fine", Args: []string{strings.Repeat("x", longArgument)}}, `command "@/fine" cannot be started: arguments and environment are too long`},
		{"a NUL in an argument", config.ServerConfig{Command: "@/fine", Args: []string{"a\x00b"}}, `command "@/fine" cannot be started: invalid argument`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			at := func(s string) string { return strings.ReplaceAll(s, "@", folder) }
			s := newRealServers(t)
			server := test.server
			server.Key, server.Command, server.Dir = "a", at(server.Command), at(server.Dir)
			for i := range server.Env {
				server.Env[i].Value = at(server.Env[i].Value)
			}
			c := s.start(child.Options{}, server)
			failure := c.failure("a") // the scripts that start exit at once
			if test.want == "" {
				want(t, "exit", failure.Exit, "exit status 0")
				return
			}
			want(t, "failure", failure, child.Error{Key: "a", Phase: child.Startup, Reason: at(test.want)})
			want(t, "events", s.events("a"), "")
		})
	}
}

// A test cannot exhaust these resources for itself alone.
func TestExplainExhaustedResources(t *testing.T) {
	for err, reason := range map[syscall.Errno]string{
		syscall.EAGAIN: "too many processes",
		syscall.ENOMEM: "not enough memory",
		syscall.EMFILE: "too many open files",
		syscall.ENFILE: "too many open files",
		syscall.EBADF:  "too many open files",
	} {
		got := child.Explain("tool", &os.PathError{Op: "fork/exec", Path: "/secret", Err: err}).Error()
		want(t, err.Error(), got, `command "tool" cannot be started: `+reason)
	}
}

func path(value string) []config.Var { return []config.Var{{Name: "PATH", Value: value}} }

func TestASecretInACommandIsNotShown(t *testing.T) {
	for _, secret := range []string{"hunter2", `hun"ter\2`, "hun\tter2\x1b[0m", "hünter2\xff", "hunter2\nhunter3"} {
		s := newRealServers(t)
		for _, server := range []config.ServerConfig{
			{Command: "/none/" + secret},
			{Command: "none-" + secret},
			{Command: "/bin/sh", Dir: "/none/" + secret},
		} {
			server.Key, server.Secrets = "a", []string{secret}
			c := s.start(child.Options{}, server)
			reason := c.failure("a").Reason
			if strings.Contains(reason, "ter") || !strings.Contains(reason, "[redacted]") {
				t.Errorf("reason %s", reason)
			}
		}
	}
}

// makeFiles makes files in a new folder and changes to it. A name that ends in a slash is
// a folder, one that ends in an asterisk is executable.
func makeFiles(t *testing.T, names ...string) (folder string) {
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
	folder := makeFiles(t, "a/run*", "b/run*", "b/only*", "a/plain", "c/plain*", "a/dir/", "c/dir*", "a/lonely/", "a/text", "here*", "~/run*", "dir/sub*")
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
	makeFiles(t, "run*")
	if got, err := child.LookPath("run", nil, ""); err == nil {
		t.Errorf("found %q", got)
	}
}
