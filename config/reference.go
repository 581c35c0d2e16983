package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// reference is the whole grammar: $NAME and ${...}, and both with a second
// dollar in front, which stand for themselves. Every other dollar stays.
var reference = regexp.MustCompile(`\$\$?(?:[A-Z_][A-Z0-9_]*|\{[^}]+\})`)

// Escape returns the text that expands to literal, whatever the environment is.
func Escape(literal string) string {
	return reference.ReplaceAllStringFunc(literal, func(match string) string { return "$" + match })
}

// expanded is what came of a text.
type expanded struct {
	text    string
	used    []string // the environment's values that were put in
	missing []variable
}

// variable is a reference, taken apart.
type variable struct {
	written     string // $NAME or ${...}
	name        string
	fallback    string
	hasFallback bool
}

// expand replaces the references of a text in one pass: what is put in is
// never expanded again.
func expand(text string, env Env) expanded {
	var out expanded
	out.text = reference.ReplaceAllStringFunc(text, func(match string) string {
		if literal, ok := strings.CutPrefix(match, "$$"); ok {
			return "$" + literal
		}
		return out.substitute(parseVariable(match), env)
	})
	return out
}

func (x *expanded) substitute(v variable, env Env) string {
	if value, ok := env.Lookup(v.name); ok {
		x.used = append(x.used, value)
		return value
	}
	same := func(other variable) bool { return other.name == v.name }
	if !v.hasFallback && !slices.ContainsFunc(x.missing, same) {
		x.missing = append(x.missing, v)
	}
	return v.fallback
}

func parseVariable(written string) variable {
	inner, braced := strings.CutPrefix(written, "${")
	if !braced {
		return variable{written: written, name: written[1:]}
	}
	inner = strings.TrimSuffix(inner, "}")
	name, fallback, found := strings.Cut(inner, ":-")
	if name == "" { // ${:-x} has no name in front of a default, so it is all name
		return variable{written: written, name: inner}
	}
	return variable{written: written, name: name, fallback: fallback, hasFallback: found}
}

// notSetMessage says how to fix a variable that is missing.
func (v variable) notSetMessage() string {
	return fmt.Sprintf("environment variable %q is not set; set it before starting, "+
		"give it a default with %q, leave the server out with %s, or write %q for a literal dollar",
		v.name, "${"+v.name+":-...}", `"disabled": true`, "$"+v.written)
}

// RequiredVariables returns the variables without default that the servers of the file
// refer to, each once, in file order; not those of servers that do not run.
func (f *File) RequiredVariables() (names []string) {
	for _, entry := range f.Servers {
		if !entry.runs() {
			continue
		}
		for _, text := range entry.texts() {
			for _, name := range requiredVariables(text) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func (e Entry) texts() []string {
	texts := append([]string{e.Command}, e.Args...)
	for _, v := range e.Env {
		texts = append(texts, v.Value)
	}
	if e.Cwd != nil {
		texts = append(texts, *e.Cwd)
	}
	return texts
}

func requiredVariables(text string) (names []string) {
	for _, written := range reference.FindAllString(text, -1) {
		if v := parseVariable(written); !strings.HasPrefix(written, "$$") && !v.hasFallback {
			names = append(names, v.name)
		}
	}
	return names
}
