package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// reference is the whole grammar: $NAME and ${...}, both of which are literal with a
// second dollar before them. Every other dollar is literal, too.
var reference = regexp.MustCompile(`\$\$?(?:[A-Z_][A-Z0-9_]*|\{[^}]+\})`)

// Escape returns the text that expands to literal in every environment.
func Escape(literal string) string {
	return reference.ReplaceAllStringFunc(literal, func(match string) string { return "$" + match })
}

// expanded is the result of expanding a text.
type expanded struct {
	text    string
	used    []string // values of the environment that were substituted
	missing []variable
}

// variable is a parsed reference.
type variable struct {
	written     string // $NAME or ${...}
	name        string
	fallback    string
	hasFallback bool
}

// expand replaces the references of a text in one pass: values are not expanded again.
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
	if name == "" { // ${:-x} has no name before the default, so all of it is the name
		return variable{written: written, name: inner}
	}
	return variable{written: written, name: name, fallback: fallback, hasFallback: found}
}

// notSetMessage returns the message for a variable that is not set.
func (v variable) notSetMessage() string {
	return fmt.Sprintf("environment variable %q is not set; set it before starting, "+
		"give it a default with %q, leave the server out with %s, or write %q for a literal dollar",
		v.name, "${"+v.name+":-...}", `"disabled": true`, "$"+v.written)
}

// RequiredVariables returns the variables that the servers that run refer to without a
// default, each once, in file order.
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
