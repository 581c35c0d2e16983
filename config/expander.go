package config

import (
	"cmp"
	"path/filepath"
	"slices"
)

// Expander substitutes environment variables in a File.
type Expander struct{ env Env }

// NewExpander returns an Expander with the variables of env.
func NewExpander(env Env) *Expander { return &Expander{env: env} }

// Expand returns the configuration of every server that runs. If there is any problem,
// it returns [Errors]: those of the File and every missing variable, in file order.
func (e *Expander) Expand(file *File) (*McpConfig, error) {
	config := &McpConfig{Path: file.Path}
	problems := slices.Clone(file.Problems)
	for _, entry := range file.Servers {
		if entry.LeftOut {
			config.LeftOut = append(config.LeftOut, entry.Key)
		}
		if !entry.runs() {
			continue
		}
		x := &expansion{env: e.env, file: file, path: serversPath.member(entry.Key)}
		config.Servers = append(config.Servers, x.expandServer(entry))
		problems = append(problems, x.problems...)
	}
	if len(problems) > 0 {
		return nil, problems.inFileOrder()
	}
	return config, nil
}

// expansion expands one server and collects its secrets and problems.
type expansion struct {
	env      Env
	file     *File
	path     jsonPath // of the entry
	secrets  []string
	problems Errors
}

func (x *expansion) expandServer(entry Entry) ServerConfig {
	config := ServerConfig{Key: entry.Key, Command: x.expandCommand(entry), Dir: x.expandDir(entry)}
	for i, arg := range entry.Args {
		text, _ := x.expandText(x.path.member("args").item(i), offset(entry.at.args, i), arg)
		config.Args = append(config.Args, text)
	}
	for i, v := range entry.Env {
		text, _ := x.expandText(x.path.member("env").member(v.Name), offset(entry.at.env, i), v.Value)
		config.Env = append(config.Env, Var{Name: v.Name, Value: text})
	}
	config.Secrets = longestFirst(x.secrets)
	return config
}

func (x *expansion) expandCommand(entry Entry) string {
	path := x.path.member("command")
	text, ok := x.expandText(path, entry.at.command, entry.Command)
	if ok && isBlank(text) && !isBlank(entry.Command) {
		x.addProblem(InvalidSchema, path, entry.at.command,
			"command is empty after expansion; give its variables a value")
	}
	return text
}

// expandDir resolves a relative folder against the folder of the file, because that does
// not depend on who starts the aggregator.
func (x *expansion) expandDir(entry Entry) string {
	if entry.Cwd == nil {
		return ""
	}
	path := x.path.member("cwd")
	before := len(x.secrets)
	text, ok := x.expandText(path, entry.at.cwd, *entry.Cwd)
	if ok && text == "" && *entry.Cwd != "" {
		x.addProblem(InvalidSchema, path, entry.at.cwd,
			`folder is empty after expansion; give its variables a value, or leave "cwd" out`)
	}
	dir := text
	if !filepath.IsAbs(text) {
		dir = filepath.Join(filepath.Dir(x.file.Path), text)
	}
	if len(x.secrets) > before { // Join may have changed the spelling of a value
		x.secrets = append(x.secrets, dir)
	}
	return dir
}

// expandText expands one text. ok is false if a variable is missing.
func (x *expansion) expandText(path jsonPath, at int, text string) (result string, ok bool) {
	out := expand(text, x.env)
	x.secrets = append(x.secrets, out.used...)
	for _, v := range out.missing {
		x.addProblem(MissingEnvVar, path, at, v.notSetMessage())
		x.problems[len(x.problems)-1].Variable = v.name
	}
	return out.text, len(out.missing) == 0
}

func (x *expansion) addProblem(code Code, path jsonPath, at int, message string) {
	if x.file.doc == nil {
		x.problems = append(x.problems, &Error{Code: code, File: x.file.Path, Path: string(path), Message: message})
		return
	}
	x.problems = append(x.problems, x.file.doc.problemAt(code, path, at, message))
}

// longestFirst sorts secrets and removes empty and repeated ones.
func longestFirst(secrets []string) []string {
	slices.SortFunc(secrets, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	secrets = slices.Compact(secrets)
	return slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
}

// Expansion is the result of expanding one text.
type Expansion struct {
	Text    string
	Values  []string // values of the environment that were substituted
	Missing []string // names of variables that are not set and have no default
}

// Text expands one text that does not come from a file.
func (e *Expander) Text(text string) Expansion {
	out := expand(text, e.env)
	result := Expansion{Text: out.text, Values: out.used}
	for _, v := range out.missing {
		result.Missing = append(result.Missing, v.name)
	}
	return result
}
