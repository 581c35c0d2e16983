package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// desktopPaths are the PATHs of desktop applications, by operating system. On Windows, the
// registry has it.
var desktopPaths = map[string]string{
	// What launchd gives, /usr/bin:/bin:/usr/sbin:/sbin, and what Claude Desktop
	// puts in front of it, as it logs for each server ("Using MCP server command:
	// ... with args and path"). It adds the folders of nvm as well, the oldest
	// version of node first, which is why those do not count here:
	// github.com/DollhouseMCP/mcp-server/issues/1902.
	"darwin": "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin",
	// /etc/environment of Debian and Ubuntu, which pam_env(8) reads at each login, and
	// where Go's own archive is unpacked: go.dev/doc/install has it put on the PATH in
	// /etc/profile or ~/.profile, which the scripts of graphical sessions read, too.
	"linux": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:/snap/bin:/usr/local/go/bin",
}

// desktopNames are the variables that a client built with the TypeScript SDK passes to a
// server: DEFAULT_INHERITED_ENV_VARS in client/stdio of @modelcontextprotocol/sdk. It does
// not pass the others of its session.
var desktopNames = map[string][]string{
	"darwin": {"HOME", "LOGNAME", "SHELL", "TERM", "USER"},
	"linux":  {"HOME", "LOGNAME", "SHELL", "TERM", "USER"},
	"windows": {
		"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE",
		"SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
	},
}

// DesktopEnviron returns what environ, in the form of os.Environ, is for a program that a
// desktop application starts: the variables that it passes on, and the PATH of the
// session, which on Windows is windowsPath. For an operating system without data it
// returns environ unchanged.
func DesktopEnviron(goos string, environ []string, windowsPath string) []string {
	names, known := desktopNames[goos]
	if !known {
		return environ
	}
	path := desktopPaths[goos]
	if goos == "windows" {
		path = windowsPath
	}
	session := []string{"PATH=" + path}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if goos == "windows" {
			name = strings.ToUpper(name)
		}
		if slices.Contains(names, name) {
			session = append(session, entry)
		}
	}
	return session
}

// checkCommand reports a command that is found now, from a terminal, but not by a desktop
// application. A command that is not found now has failed, which is reported as such.
func checkCommand(s Server, m Machine) []Finding {
	if s.Command == "" {
		return nil
	}
	file, found := s.Command, true
	if !strings.ContainsAny(s.Command, `/\`) {
		found = m.LookPath(s.Command, s.Desktop) != ""
		file = m.LookPath(s.Command, s.Now)
	}
	if !filepath.IsAbs(file) { // not found, or relative to its cwd
		return nil
	}
	lead := interpreterFix(file, s, m)
	finding := Finding{Kind: CommandOffPath, Severity: Warning, Where: s.Place + ".command"}
	switch {
	case !found:
		finding.What = fmt.Sprintf("command %q is not on %s", s.Command, describePath(s))
		finding.Fix = fmt.Sprintf(`write "command": %q`, file)
		if lead != "" {
			finding.Fix += ", and " + lead
		}
	case lead != "":
		finding.Kind = InterpreterOffPath
		finding.What = fmt.Sprintf("command %q is a script for %q, which is not on %s", s.Command, m.Interpreter(file), describePath(s))
		finding.Fix = lead
	default:
		return nil
	}
	return []Finding{finding}
}

// interpreterFix says how a script finds its interpreter if that is not on the PATH: npx,
// for example, is a script for node, and an absolute path of npx does not help to find
// node.
func interpreterFix(file string, s Server, m Machine) string {
	interpreter := m.Interpreter(file)
	if interpreter == "" || m.LookPath(interpreter, s.Desktop) != "" {
		return ""
	}
	program := m.LookPath(interpreter, s.Now)
	if program == "" {
		return ""
	}
	path := filepath.Dir(program) + string(filepath.ListSeparator) + "${PATH}"
	return fmt.Sprintf(`for the %q that it starts, set "PATH": %q in its env`, interpreter, path)
}

// describePath describes the PATH of a desktop application.
func describePath(s Server) string {
	if s.OwnPath {
		return "its PATH when a desktop application starts it"
	}
	return "the PATH that a desktop application gives"
}

// checkVariables reports variables that a desktop application may not have. Their values
// are not known here.
func checkVariables(s Server) (findings []Finding) {
	for _, v := range s.Missing {
		findings = append(findings, Finding{
			Kind: VariableOffDesktop, Severity: Warning, Where: v.Where,
			What: fmt.Sprintf("environment variable %q is set here, but a desktop application may not have it, or not pass it on", v.Name),
			Fix:  fmt.Sprintf(`set it in the "env" of the aggregator's entry in the client's own file, or give it a default with "${%s:-...}"`, v.Name),
		})
	}
	return findings
}
