package doctor

import (
	"fmt"
	"path/filepath"
	"strings"
)

// checkCommand tells of a command that is found now, from a terminal, and would
// not be from a desktop application. What is not found now either has failed,
// and is reported as such.
func checkCommand(s Server, m Machine) []Finding {
	if s.Command == "" {
		return nil
	}
	file, found := s.Command, true
	if !strings.ContainsAny(s.Command, `/\`) {
		found = m.Look(s.Command, s.Desktop) != ""
		file = m.Look(s.Command, s.Now)
	}
	if !filepath.IsAbs(file) { // not found at all, or relative to its cwd
		return nil
	}
	lead := leadTo(file, s, m)
	finding := Finding{Kind: CommandOffPath, Severity: Warning, Where: s.Place + ".command"}
	switch {
	case !found:
		finding.What = fmt.Sprintf("command %q is not on %s", s.Command, pathOf(s))
		finding.Fix = fmt.Sprintf(`write "command": %q`, file)
		if lead != "" {
			finding.Fix += ", and " + lead
		}
	case lead != "":
		finding.Kind = InterpreterOffPath
		finding.What = fmt.Sprintf("command %q is a script for %q, which is not on %s", s.Command, m.Interpreter(file), pathOf(s))
		finding.Fix = lead
	default:
		return nil
	}
	return []Finding{finding}
}

// leadTo says how a script finds the program that runs it, if that would not
// be on the PATH: npx is a script for node, which an absolute path does not lead to.
func leadTo(file string, s Server, m Machine) string {
	interpreter := m.Interpreter(file)
	if interpreter == "" || m.Look(interpreter, s.Desktop) != "" {
		return ""
	}
	program := m.Look(interpreter, s.Now)
	if program == "" {
		return ""
	}
	path := filepath.Dir(program) + string(filepath.ListSeparator) + "${PATH}"
	return fmt.Sprintf(`for the %q that it starts, set "PATH": %q in its env`, interpreter, path)
}

// pathOf describes the PATH of a desktop application.
func pathOf(s Server) string {
	if s.OwnPath {
		return "its PATH when a desktop application starts it"
	}
	return "the PATH that a desktop application gives"
}
