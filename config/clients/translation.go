package clients

import (
	"fmt"
	"regexp"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clienttable"
)

// translation translates the texts of one file to our own syntax.
type translation struct {
	syntax  clienttable.Syntax
	pattern *regexp.Regexp // of the syntax
	folder  string         // of the project; "" if the file is the user's own
	windows bool
	inputs  map[string]string // descriptions
	lookup  func(variable string) (string, bool)
}

// translateText returns a text of the client in our own syntax, and the variables without
// default that it needs. The error says which variable is not supported.
func (t translation) translateText(text string) (ours string, needs []Need, err error) {
	var parts []textPart
	last := 0
	for _, at := range t.pattern.FindAllStringSubmatchIndex(text, -1) {
		parts = append(parts, textPart{literal: text[last:at[0]]})
		p, need, err := t.translateVariable(text[at[0]:at[1]], innerText(text, at))
		if err != nil {
			return "", nil, err
		}
		if p.name != "" && !p.hasFallback {
			needs = append(needs, need)
		}
		parts, last = append(parts, p), at[1]
	}
	return joinParts(append(parts, textPart{literal: text[last:]})), needs, nil
}

func innerText(text string, at []int) string {
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			return text[at[i]:at[i+1]]
		}
	}
	return ""
}

// translateVariable translates one ${...} or $NAME, given as written and without its
// delimiters.
func (t translation) translateVariable(written, inside string) (textPart, Need, error) {
	if name, ok := strings.CutPrefix(inside, "env:"); ok && t.syntax.EnvPrefix {
		return environmentPart(written, name, "")
	}
	if id, ok := strings.CutPrefix(inside, "input:"); ok && t.syntax.Inputs {
		return t.translateInput(written, id)
	}
	if t.syntax.Editor {
		if p, ok := t.translateEditor(inside); ok {
			return p, Need{Name: p.name}, nil
		}
	}
	if !t.syntax.Braces {
		return textPart{}, Need{}, fmt.Errorf("variable %s is not understood; replace it by its value%s", withoutValue(written), t.variableHint(inside))
	}
	name, fallback, found := strings.Cut(inside, ":-")
	if !strings.HasPrefix(written, "${") && !isConstant(name) && !t.isSet(name) {
		return textPart{literal: written}, Need{}, nil // like the client; it may be part of a password
	}
	switch isName := isName(name); { // no system has a variable with another name
	case !isName && found:
		return textPart{literal: fallback}, Need{}, nil
	case !isName:
		return textPart{literal: written}, Need{}, nil
	}
	return textPart{name: name, fallback: fallback, hasFallback: found}, Need{Name: name}, nil
}

// translateInput translates an input of VS Code to an environment variable.
func (t translation) translateInput(written, id string) (textPart, Need, error) {
	description, defined := t.inputs[id]
	if !defined {
		return textPart{}, Need{}, fmt.Errorf("variable %s has no definition in \"inputs\"", withoutValue(written))
	}
	for other := range t.inputs {
		if other != id && upperSnake(other) == upperSnake(id) {
			return textPart{}, Need{}, fmt.Errorf("inputs %q and %q would both be ${%s}; rename one of them", min(id, other), max(id, other), upperSnake(id))
		}
	}
	if description != "" {
		description = ": " + description
	}
	return environmentPart(written, upperSnake(id), "input "+id+description)
}

const (
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters  = "abcdefghijklmnopqrstuvwxyz" + capitals
	digits   = "0123456789"
)

// isName reports whether s is the name of an environment variable. Windows has some with
// parentheses.
func isName(s string) bool { return consistsOf(s, letters+"_", digits+".()-") }

// isConstant reports whether a name is in upper case, as most environment variables are.
func isConstant(s string) bool { return consistsOf(s, capitals+"_", digits) }

// consistsOf reports whether s begins with a character in first and has only characters
// in first and further.
func consistsOf(s, first, further string) bool {
	return s != "" && strings.ContainsAny(s[:1], first) && strings.Trim(s, first+further) == ""
}

func (t translation) isSet(name string) bool {
	if t.lookup == nil {
		return false
	}
	_, set := t.lookup(name)
	return set
}

func environmentPart(written, name, why string) (textPart, Need, error) {
	if !isName(name) {
		return textPart{}, Need{}, fmt.Errorf("variable %s is not understood; replace it by its value", withoutValue(written))
	}
	return textPart{name: name}, Need{Name: name, Why: why}, nil
}

// translateEditor translates the variables of VS Code and Cursor that do not depend on
// the open file.
func (t translation) translateEditor(inside string) (textPart, bool) {
	home, separator := "HOME", "/"
	if t.windows {
		home, separator = "USERPROFILE", `\`
	}
	switch inside {
	case "userHome":
		return textPart{name: home}, true
	case "pathSeparator", "/":
		return textPart{literal: separator}, true
	case "workspaceFolder":
		return textPart{literal: t.folder}, t.folder != ""
	case "workspaceFolderBasename":
		return textPart{literal: t.folder[strings.LastIndexAny(t.folder, `/\`)+1:]}, t.folder != ""
	default:
		return textPart{}, false
	}
}

// nameLike matches the part of an unknown variable that may be shown: what looks like a
// name. The rest may be a default, or the variable a password with a dollar.
const nameLike = `^\$\{?(?:env:\w+|(?:input|command|config):[\w.-]+|[A-Za-z_]\w*(?::-?)?)?`

// withoutValue returns a variable for messages, without the part that may be a secret.
func withoutValue(written string) string {
	name := regexp.MustCompile(nameLike).FindString(written)
	if rest := written[len(name):]; rest != "" && rest != "}" {
		return name + "...}"
	}
	return written
}

func (t translation) variableHint(inside string) string {
	switch {
	case strings.HasPrefix(inside, "workspaceFolder") && t.folder == "":
		return " (this file belongs to no project)"
	case consistsOf(inside, letters+"_", digits):
		return ", or by ${env:" + inside + "} if it is one of the environment"
	default:
		return ""
	}
}

// upperSnake converts github-token and githubToken to GITHUB_TOKEN.
func upperSnake(id string) string {
	wordEnd, notAName := regexp.MustCompile(`([a-z0-9])([A-Z])`), regexp.MustCompile(`[^A-Z0-9]+`)
	words := strings.ToUpper(wordEnd.ReplaceAllString(id, "${1}_$2"))
	name := strings.Trim(notAName.ReplaceAllString(words, "_"), "_")
	if name != "" && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// textPart is a part of a text: a literal or an environment variable.
type textPart struct {
	literal     string
	name        string // "" for a literal
	fallback    string
	hasFallback bool
}

// dollarVariable is a variable that is never set. In our syntax a literal dollar before a
// reference can only be written as the default of such a variable.
const dollarVariable = "MCP_LITERAL_DOLLAR"

// joinParts returns the text of parts in our own syntax.
func joinParts(parts []textPart) string {
	var out, literal strings.Builder
	for _, p := range parts {
		if p.name == "" {
			literal.WriteString(p.literal)
			continue
		}
		out.WriteString(escapeBeforeReference(literal.String()))
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

// escapeBeforeReference escapes a literal that is followed by a reference. Dollars or an
// open brace at its end would escape or absorb that reference.
func escapeBeforeReference(literal string) string {
	tail := regexp.MustCompile(`\$+(\{[^}]*)?$`).FindString(literal)
	text := config.Escape(strings.TrimSuffix(literal, tail))
	if tail != "" {
		text += "${" + dollarVariable + ":-" + tail + "}"
	}
	return text
}

// isExpanded reports whether a client with that syntax expands something in text.
func isExpanded(s clienttable.Syntax, text string) bool { return patternOf(s).MatchString(text) }

// patternOf returns a pattern of what the client expands; its group is the text within
// the delimiters.
func patternOf(s clienttable.Syntax) *regexp.Regexp {
	switch {
	case s.Bare:
		return regexp.MustCompile(`\$\{([^}]+)\}|\$([A-Za-z_]\w*)`)
	case s.Braces, s.OthersUnknown:
		return regexp.MustCompile(`\$\{([^}]+)\}`)
	case s.EnvPrefix:
		return regexp.MustCompile(`\$\{(env:[^}]+)\}`)
	default:
		return regexp.MustCompile(`[^\s\S]`) // nothing
	}
}
