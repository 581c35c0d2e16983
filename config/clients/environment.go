package clients

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clienttable"
)

// Withheld returns those variables in names that a client may not pass to servers. It is
// certain to pass only a few: DEFAULT_INHERITED_ENV_VARS in src/client/stdio.ts of
// github.com/modelcontextprotocol/typescript-sdk.
func Withheld(goos string, names []string) []string {
	passed := []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
	if goos == "windows" {
		passed = []string{
			"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE",
			"SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE", "PROGRAMFILES",
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(passed, func(other string) bool {
			return name == other || goos == "windows" && strings.EqualFold(name, other)
		})
	})
}

// Unprovided returns the variables of Needs that the entry in the client's file, data,
// does not set and that the client's syntax cannot refer to.
func (in Installation) Unprovided(data []byte) ([]string, error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, err
	}
	m, err := in.findEntry(doc)
	if err != nil {
		return nil, err
	}
	_, missing, err := in.missingEnv(doc, m)
	return missing, err
}

// Supplied returns the variables of Needs that the client sets regardless of its own
// environment: those that the entry sets, and those that the client prompts for.
func (in Installation) Supplied(data []byte) (names []string, err error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, err
	}
	m, err := in.findEntry(doc)
	if err != nil {
		return nil, err
	}
	vars, missing, err := in.missingEnv(doc, m)
	if err != nil {
		return nil, err
	}
	for _, name := range in.Needs {
		i := slices.IndexFunc(vars, func(v config.Var) bool { return v.Name == name })
		if i < 0 && !slices.Contains(missing, name) || i >= 0 && strings.HasPrefix(vars[i].Value, "${input:") {
			names = append(names, name)
		}
	}
	return names, nil
}

// missingEnv returns the variables to add to the env of the entry, as references in the
// client's syntax, and the names of those that it cannot refer to. m is nil if there is
// no entry yet.
func (in Installation) missingEnv(doc *document, m *hujson.ObjectMember) (vars []config.Var, missing []string, err error) {
	var there *hujson.Value
	if m != nil {
		if there, err = doc.findObject(&m.Value, "env"); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range in.Needs {
		if there != nil && slices.ContainsFunc(membersOf(there), func(m hujson.ObjectMember) bool { return nameOf(m) == name }) {
			continue
		}
		if value := referenceTo(in.Client.Syntax, name, inputsOf(doc)); value != "" {
			vars = append(vars, config.Var{Name: name, Value: value})
		} else {
			missing = append(missing, name)
		}
	}
	return vars, missing, nil
}

// referenceTo returns a reference to a variable in the client's syntax, or to the input
// that is translated to it; "" if there is neither.
func referenceTo(s clienttable.Syntax, name string, inputs map[string]string) string {
	if !isName(name) {
		return ""
	}
	if id := inputFor(name, inputs); s.Inputs && id != "" {
		return "${input:" + id + "}"
	}
	switch {
	case s.EnvPrefix:
		return "${env:" + name + "}"
	case s.Braces:
		return "${" + name + "}"
	default:
		return ""
	}
}

// inputFor returns the id of the input that is translated to the variable, "" if there
// is none or more than one.
func inputFor(name string, inputs map[string]string) (id string) {
	for other := range inputs {
		if upperSnake(other) != name {
			continue
		}
		if id != "" {
			return ""
		}
		id = other
	}
	return id
}
