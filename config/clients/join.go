package clients

import (
	"regexp"
	"strings"

	"mcp-aggregator/config"
)

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
