package clienttest

import (
	"path"
	"regexp"
	"strings"
)

// Machine is the environment in which a client expands texts.
type Machine struct {
	Environment map[string]string
	Folder      string            // of the project
	Inputs      map[string]string // the user's answers to prompts, by id
}

func nothing(_ Machine, text string) string { return text }

func braces(m Machine, text string) string {
	return replace(text, `\$\{([^}]+)\}`, m.orDefault)
}

func bracesOrBare(m Machine, text string) string {
	return replace(text, `\$(?:(\w+)|\{([^}]+)\})`, m.orDefault)
}

func prefixed(m Machine, text string) string {
	return replace(text, `\$\{(env:[^}]+)\}`, m.prefixed)
}

func prefixedInBraces(m Machine, text string) string {
	return replace(text, `\$\{([^}]+)\}`, m.prefixed)
}

func editor(m Machine, text string) string {
	return replace(text, `\$\{([^}]+)\}`, m.inEditor)
}

func editorWithInputs(m Machine, text string) string {
	return replace(text, `\$\{([^}]+)\}`, func(inside string) (string, bool) {
		if id, ok := strings.CutPrefix(inside, "input:"); ok {
			answer, known := m.Inputs[id]
			return answer, known
		}
		return m.inEditor(inside)
	})
}

func (m Machine) orDefault(inside string) (string, bool) {
	name, fallback, found := strings.Cut(inside, ":-")
	if value, set := m.Environment[name]; set {
		return value, true
	}
	return fallback, found
}

func (m Machine) prefixed(inside string) (string, bool) {
	name, found := strings.CutPrefix(inside, "env:")
	value, set := m.Environment[name]
	return value, found && set
}

func (m Machine) inEditor(inside string) (string, bool) {
	known := map[string]string{
		"userHome": m.Environment["HOME"], "workspaceFolder": m.Folder, "workspaceFolderBasename": path.Base(m.Folder), "pathSeparator": "/", "/": "/",
	}
	if value, ok := known[inside]; ok {
		return value, true
	}
	return m.prefixed(inside)
}

// replace replaces the matches of pattern with their values. Matches without a known
// value stay.
func replace(text, pattern string, value func(inside string) (string, bool)) string {
	variable := regexp.MustCompile(pattern)
	return variable.ReplaceAllStringFunc(text, func(match string) string {
		groups := variable.FindStringSubmatch(match)
		if value, ok := value(strings.Join(groups[1:], "")); ok {
			return value
		}
		return match
	})
}
