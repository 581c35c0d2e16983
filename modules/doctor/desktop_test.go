package doctor_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/modules/doctor"
)

// newMachine has programs under absolute paths, scripts among them.
func newMachine(files ...string) doctor.Machine {
	return doctor.Machine{
		LookPath: func(command, path string) string {
			for folder := range strings.SplitSeq(path, ":") {
				if file := folder + "/" + command; slices.Contains(files, file) {
					return file
				}
			}
			return ""
		},
		Interpreter: func(file string) string {
			if strings.HasSuffix(file, "/npx") {
				return "node"
			}
			return ""
		},
	}
}

func TestCommandsOffTheDesktopsPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its paths are others")
	}
	const now, desktop = "/home/me/bin:/usr/bin", "/usr/bin"
	tests := map[string]struct {
		machine doctor.Machine
		command string
		want    []string
	}{
		"found by both":          {newMachine("/usr/bin/uvx"), "uvx", nil},
		"found by nobody":        {newMachine(), "uvx", nil},
		"not known":              {newMachine(), "", nil},
		"a path":                 {newMachine("/opt/server"), "/opt/server", nil},
		"relative to its folder": {newMachine(), "./server", nil},
		"found from here only": {newMachine("/home/me/bin/uvx"), "uvx", []string{
			`warning command_off_desktop_path mcpServers.a.command: command "uvx" is not on the PATH that a desktop application gives; write "command": "/home/me/bin/uvx"`,
		}},
		"a script whose program is off too": {newMachine("/home/me/bin/npx", "/home/me/bin/node"), "npx", []string{
			`warning command_off_desktop_path mcpServers.a.command: command "npx" is not on the PATH that a desktop application gives; ` +
				`write "command": "/home/me/bin/npx", and for the "node" that it starts, set "PATH": "/home/me/bin:${PATH}" in its env`,
		}},
		"a path to such a script": {newMachine("/home/me/bin/npx", "/home/me/bin/node"), "/home/me/bin/npx", []string{
			`warning interpreter_off_desktop_path mcpServers.a.command: command "/home/me/bin/npx" is a script for "node", which is not on the PATH that a desktop application gives; ` +
				`for the "node" that it starts, set "PATH": "/home/me/bin:${PATH}" in its env`,
		}},
		"a script whose program is there": {newMachine("/home/me/bin/npx", "/usr/bin/node"), "npx", []string{
			`warning command_off_desktop_path mcpServers.a.command: command "npx" is not on the PATH that a desktop application gives; write "command": "/home/me/bin/npx"`,
		}},
		"a script whose program is nowhere": {newMachine("/usr/bin/npx"), "npx", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := doctor.Server{Key: "a", Place: "mcpServers.a", Command: test.command, Now: now, Desktop: desktop}
			findings := doctor.Examine(doctor.Input{Servers: []doctor.Server{server}, Machine: test.machine})
			if got := lines(findings); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestAPathOfItsOwnIsNotShown(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its paths are others")
	}
	server := doctor.Server{Key: "a", Command: "uvx", Now: "/secret:/home/me/bin", Desktop: "/secret", OwnPath: true}
	findings := doctor.Examine(doctor.Input{Servers: []doctor.Server{server}, Machine: newMachine("/home/me/bin/uvx")})
	wantLines(t, findings, `warning command_off_desktop_path .command: command "uvx" is not on its PATH when a desktop application starts it`)
	if strings.Contains(strings.Join(lines(findings), ""), "secret") {
		t.Errorf("%q", lines(findings))
	}
}

func TestTheSameOfSeveralServersIsOneFinding(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its paths are others")
	}
	var all []doctor.Server
	for _, key := range []string{"a", "b", "c"} {
		all = append(all, doctor.Server{
			Key: key, Place: "mcpServers." + key, Command: "uvx", Now: "/home/me/bin",
			Missing: []doctor.Variable{{Name: "TOKEN", Where: "mcpServers." + key + ".env.T"}},
		})
	}
	findings := doctor.Examine(doctor.Input{Servers: all, Machine: newMachine("/home/me/bin/uvx")})
	wantLines(t, findings, "warning command_off_desktop_path mcpServers.a.command:",
		`warning variable_off_desktop mcpServers.a.env.T: environment variable "TOKEN" is set here`)
	if got := strings.Join(findings[1].Places, " "); got != "mcpServers.a.env.T mcpServers.b.env.T mcpServers.c.env.T" {
		t.Errorf("places: %s", got)
	}
}

func TestTheEnvironmentOfADesktopApplication(t *testing.T) {
	environ := []string{
		"PATH=/home/me/bin", "HOME=/home/me", "API_KEY=x", "LANG=de", "LC_ALL=C", "XDG_DATA_HOME=/d", "TMPDIR=/t",
		"USER=me", "AppData=roaming", "USERPROFILE=me", "odd",
	}
	tests := map[string]string{
		"linux":   "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:/snap/bin:/usr/local/go/bin HOME=/home/me USER=me",
		"darwin":  "PATH=/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/home/me USER=me",
		"windows": `PATH=C:\bin AppData=roaming USERPROFILE=me`,
		"plan9":   strings.Join(environ, " "),
	}
	for goos, want := range tests {
		if got := strings.Join(doctor.DesktopEnviron(goos, environ, `C:\bin`), " "); got != want {
			t.Errorf("%s: got  %s\nwant %s", goos, got, want)
		}
	}
}

func TestClientsOfATerminalAreNoDesktopApplications(t *testing.T) {
	server := doctor.Server{Key: "a", Place: "mcpServers.a", Missing: []doctor.Variable{{Name: "TOKEN", Where: "mcpServers.a.env.T"}}}
	for client, want := range map[string]int{"": 1, "cursor": 1, "claude-desktop": 1, "gemini": 0, "codex": 0} {
		p := doctor.Input{Servers: []doctor.Server{server}, Machine: emptyMachine, Client: client}
		if got := len(doctor.Examine(p)); got != want {
			t.Errorf("%q: %d findings, want %d", client, got, want)
		}
	}
}
