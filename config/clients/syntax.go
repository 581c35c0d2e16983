package clients

import (
	"regexp"

	"mcp-aggregator/config/clienttable"
)

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
