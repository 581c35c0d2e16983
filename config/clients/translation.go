package clients

import (
	"fmt"
	"regexp"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clienttable"
)

// translation turns the texts of one file into ours.
type translation struct {
	syntax  clienttable.Syntax
	pattern *regexp.Regexp // of the syntax
	folder  string         // of the project; "" if the file is the user's own
	windows bool
	inputs  map[string]string // descriptions
	lookup  func(variable string) (string, bool)
}

// text returns what stands for a text of the client in our own file, and the
// variables without default that it needs. The error says what is not
// understood.
func (t translation) text(text string) (ours string, needs []Need, err error) {
	var parts []part
	last := 0
	for _, at := range t.pattern.FindAllStringSubmatchIndex(text, -1) {
		parts = append(parts, part{literal: text[last:at[0]]})
		p, need, err := t.variable(text[at[0]:at[1]], inner(text, at))
		if err != nil {
			return "", nil, err
		}
		if p.name != "" && !p.hasFallback {
			needs = append(needs, need)
		}
		parts, last = append(parts, p), at[1]
	}
	return join(append(parts, part{literal: text[last:]})), needs, nil
}

func inner(text string, at []int) string {
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			return text[at[i]:at[i+1]]
		}
	}
	return ""
}

// variable translates one ${...} or $NAME, given as it is written and what
// stands in it.
func (t translation) variable(written, inside string) (part, Need, error) {
	if name, ok := strings.CutPrefix(inside, "env:"); ok && t.syntax.EnvPrefix {
		return environment(written, name, "")
	}
	if id, ok := strings.CutPrefix(inside, "input:"); ok && t.syntax.Inputs {
		return t.input(written, id)
	}
	if t.syntax.Editor {
		if p, ok := t.editor(inside); ok {
			return p, Need{Name: p.name}, nil
		}
	}
	if !t.syntax.Braces {
		return part{}, Need{}, fmt.Errorf("variable %s is not understood; replace it by its value%s", shown(written), t.hint(inside))
	}
	name, fallback, found := strings.Cut(inside, ":-")
	if !strings.HasPrefix(written, "${") && !isConstant(name) && !t.isSet(name) {
		return part{literal: written}, Need{}, nil // as the client does; it may be part of a password
	}
	switch isName := isName(name); { // no system has a variable of another name
	case !isName && found:
		return part{literal: fallback}, Need{}, nil
	case !isName:
		return part{literal: written}, Need{}, nil
	}
	return part{name: name, fallback: fallback, hasFallback: found}, Need{Name: name}, nil
}

// input translates what VS Code asks for into a variable of the environment.
func (t translation) input(written, id string) (part, Need, error) {
	description, defined := t.inputs[id]
	if !defined {
		return part{}, Need{}, fmt.Errorf("variable %s has no definition in \"inputs\"", shown(written))
	}
	for other := range t.inputs {
		if other != id && upperSnake(other) == upperSnake(id) {
			return part{}, Need{}, fmt.Errorf("inputs %q and %q would both be ${%s}; rename one of them", min(id, other), max(id, other), upperSnake(id))
		}
	}
	if description != "" {
		description = ": " + description
	}
	return environment(written, upperSnake(id), "input "+id+description)
}

const (
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters  = "abcdefghijklmnopqrstuvwxyz" + capitals
	digits   = "0123456789"
)

// isName reports whether an environment variable may have that name; Windows
// has some with parentheses.
func isName(s string) bool { return consists(s, letters+"_", digits+".()-") }

// isConstant reports whether a name looks as those of the environment mostly do.
func isConstant(s string) bool { return consists(s, capitals+"_", digits) }

// consists reports whether s has one of first, and then those and further ones.
func consists(s, first, further string) bool {
	return s != "" && strings.ContainsAny(s[:1], first) && strings.Trim(s, first+further) == ""
}

func (t translation) isSet(name string) bool {
	if t.lookup == nil {
		return false
	}
	_, set := t.lookup(name)
	return set
}

func environment(written, name, why string) (part, Need, error) {
	if !isName(name) {
		return part{}, Need{}, fmt.Errorf("variable %s is not understood; replace it by its value", shown(written))
	}
	return part{name: name}, Need{Name: name, Why: why}, nil
}

// editor translates the variables of VS Code and Cursor that do not depend on
// what is open in them.
func (t translation) editor(inside string) (part, bool) {
	home, separator := "HOME", "/"
	if t.windows {
		home, separator = "USERPROFILE", `\`
	}
	switch inside {
	case "userHome":
		return part{name: home}, true
	case "pathSeparator", "/":
		return part{literal: separator}, true
	case "workspaceFolder":
		return part{literal: t.folder}, t.folder != ""
	case "workspaceFolderBasename":
		return part{literal: t.folder[strings.LastIndexAny(t.folder, `/\`)+1:]}, t.folder != ""
	default:
		return part{}, false
	}
}

// nameLike is what may be told of a variable that is not known: what looks like
// a name. The rest may be a default, or a password with a dollar in it.
const nameLike = `^\$\{?(?:env:\w+|(?:input|command|config):[\w.-]+|[A-Za-z_]\w*(?::-?)?)?`

// shown leaves out what may be a secret.
func shown(written string) string {
	name := regexp.MustCompile(nameLike).FindString(written)
	if rest := written[len(name):]; rest != "" && rest != "}" {
		return name + "...}"
	}
	return written
}

func (t translation) hint(inside string) string {
	switch {
	case strings.HasPrefix(inside, "workspaceFolder") && t.folder == "":
		return " (this file belongs to no project)"
	case consists(inside, letters+"_", digits):
		return ", or by ${env:" + inside + "} if it is one of the environment"
	default:
		return ""
	}
}

// upperSnake makes GITHUB_TOKEN of github-token and githubToken.
func upperSnake(id string) string {
	wordEnd, notAName := regexp.MustCompile(`([a-z0-9])([A-Z])`), regexp.MustCompile(`[^A-Z0-9]+`)
	words := strings.ToUpper(wordEnd.ReplaceAllString(id, "${1}_$2"))
	name := strings.Trim(notAName.ReplaceAllString(words, "_"), "_")
	if name != "" && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// part is a piece of a text: a literal, or a variable of the environment.
type part struct {
	literal     string
	name        string // "" for a literal
	fallback    string
	hasFallback bool
}

// dollar is a variable that nobody sets. Our syntax has no way to write a
// dollar in front of a reference but as the default of one.
const dollar = "MCP_LITERAL_DOLLAR"

// join writes parts in our own syntax.
func join(parts []part) string {
	var out, literal strings.Builder
	for _, p := range parts {
		if p.name == "" {
			literal.WriteString(p.literal)
			continue
		}
		out.WriteString(before(literal.String()))
		literal.Reset()
		out.WriteString("${" + p.name)
		if p.hasFallback {
			out.WriteString(":-" + p.fallback)
		}
		out.WriteString("}")
	}
	out.WriteString(config.Escape(literal.String()))
	return out.String()
}

// before is a literal with a reference behind it. Its tail would escape that
// reference, or swallow it: dollars, or a brace that is not closed.
func before(literal string) string {
	tail := regexp.MustCompile(`\$+(\{[^}]*)?$`).FindString(literal)
	text := config.Escape(strings.TrimSuffix(literal, tail))
	if tail != "" {
		text += "${" + dollar + ":-" + tail + "}"
	}
	return text
}

// expands reports whether a client with that syntax would not take text as it is.
func expands(s clienttable.Syntax, text string) bool { return patternOf(s).MatchString(text) }

// patternOf matches what the client replaces; its groups are what stands in it.
func patternOf(s clienttable.Syntax) *regexp.Regexp {
	switch {
	case s.Bare:
		return regexp.MustCompile(`\$\{([^}]+)\}|\$([A-Za-z_]\w*)`)
	case s.Braces, s.Closed:
		return regexp.MustCompile(`\$\{([^}]+)\}`)
	case s.EnvPrefix:
		return regexp.MustCompile(`\$\{(env:[^}]+)\}`)
	default:
		return regexp.MustCompile(`[^\s\S]`) // nothing
	}
}
