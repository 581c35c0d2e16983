package profiles

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
)

// Bounds of what is stored.
const (
	MaxProfiles    = 1000
	MaxName        = servers.MaxName        // characters
	MaxDescription = servers.MaxDescription // characters
	MaxServers     = 1000
	MaxPatterns    = 1000 // of Allow, Deny and Pin together
)

// Validate returns all problems of a profile. Their pointers refer to the body of POST
// /profiles.
func (p Profile) Validate() servers.Problems {
	var v validator
	v.checkName(p.Name)
	v.checkDescription(p.Description)
	v.checkServers(p.Servers)
	v.checkPatterns("allow", p.Allow)
	v.checkPatterns("deny", p.Deny)
	v.checkPatterns("pin", p.Pin)
	v.checkMode(p.Mode)
	return v.problems
}

// validator collects problems.
type validator struct {
	problems servers.Problems
	patterns int // how many there are so far
}

func (v *validator) addProblem(pointer, format string, args ...any) {
	v.problems = append(v.problems, servers.Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (v *validator) checkName(text string) {
	switch {
	case text == "":
		v.addProblem("/name", "is missing: give the profile a name")
	case len(text) > MaxName:
		v.addProblem("/name", "is too long: use at most %d characters", MaxName)
	case !servers.IsName(text):
		v.addProblem("/name", "may have letters, digits, _ and - only, since it is part of an address")
	}
}

func (v *validator) checkDescription(text string) {
	switch {
	case utf8.RuneCountInString(text) > MaxDescription:
		v.addProblem("/description", "is too long: use at most %d characters", MaxDescription)
	case strings.ContainsRune(text, 0):
		v.addProblem("/description", "holds a NUL character: leave it out")
	}
}

func (v *validator) checkServers(names []string) {
	if len(names) > MaxServers {
		v.addProblem("/servers", "has %d names: use at most %d", len(names), MaxServers)
		return
	}
	for i, name := range names {
		if !servers.IsName(name) {
			v.addProblem(fmt.Sprintf("/servers/%d", i), "is not the name of a server: those have letters, digits, _ and - only, at most %d; patterns belong in allow", servers.MaxName)
		}
	}
}

func (v *validator) checkPatterns(member string, patterns []string) {
	before := v.patterns
	if v.patterns += len(patterns); v.patterns > MaxPatterns && before <= MaxPatterns {
		v.addProblem("/"+member, "brings the patterns to %d: use at most %d in allow, deny and pin together", v.patterns, MaxPatterns)
	}
	if v.patterns > MaxPatterns {
		return
	}
	for i, pattern := range patterns {
		if problem := registry.PatternProblem(pattern); problem != "" {
			v.addProblem(fmt.Sprintf("/%s/%d", member, i), "%s", problem)
		}
	}
}

func (v *validator) checkMode(m Mode) {
	switch m {
	case Full, Lean:
	case "":
		v.addProblem("/mode", "is missing: use %s or %s", Full, Lean)
	default:
		v.addProblem("/mode", "is unknown: use %s or %s", Full, Lean)
	}
}
