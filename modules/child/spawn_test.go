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

func TestWhyAChildCannotBeStarted(t *testing.T) {
	folder := layOut(t, "plain", "dir/", "elf*", "text*", "lost*", "fine*", "bin/tool*")
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
		{"arguments are too long", config.ServerConfig{Command: "@/fine", Args: []string{strings.Repeat("x", 16<<20)}}, `command "@/fine" cannot be started: arguments and environment are too long`},
		{"a NUL in an argument", config.ServerConfig{Command: "@/fine", Args: []string{"a\x00b"}}, `command "@/fine" cannot be started: invalid argument`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			at := func(s string) string { return strings.ReplaceAll(s, "@", folder) }
			s := newStage(t)
			server := test.server
			server.Key, server.Command, server.Dir = "a", at(server.Command), at(server.Dir)
			for i := range server.Env {
				server.Env[i].Value = at(server.Env[i].Value)
			}
			c := s.raise(child.Options{}, server)
			failure := c.failure("a") // the scripts that can be started end at once
			if test.want == "" {
				want(t, "exit", failure.Exit, "exit status 0")
				return
			}
			want(t, "failure", failure, child.Error{Key: "a", Phase: child.Startup, Reason: at(test.want)})
			want(t, "events", s.events("a"), "")
		})
	}
}

// The system cannot be made to run short of these for one test alone.
func TestWhatTheMachineRunsOutOf(t *testing.T) {
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
		s := newStage(t)
		for _, server := range []config.ServerConfig{
			{Command: "/none/" + secret},
			{Command: "none-" + secret},
			{Command: "/bin/sh", Dir: "/none/" + secret},
		} {
			server.Key, server.Secrets = "a", []string{secret}
			c := s.raise(child.Options{}, server)
			reason := c.failure("a").Reason
			if strings.Contains(reason, "ter") || !strings.Contains(reason, "[redacted]") {
				t.Errorf("reason %s", reason)
			}
		}
	}
}
