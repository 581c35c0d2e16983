package clients

import (
	"regexp"
	"strings"
)

// Syntax says which variables a client expands in its servers' texts. The zero
// value is a client that expands none.
type Syntax struct {
	Braces    bool // ${NAME} and ${NAME:-default}
	Bare      bool // $NAME
	EnvPrefix bool // ${env:NAME}
	Editor    bool // ${userHome}, ${workspaceFolder}, ${workspaceFolderBasename}, ${pathSeparator}, ${/}
	Inputs    bool // ${input:ID}
	Closed    bool // any other ${...} may mean something to it that nothing is known of
}

// String returns the syntax as people write it.
func (s Syntax) String() string {
	var forms []string
	for _, form := range []struct {
		used bool
		text string
	}{
		{s.Braces, "`${NAME}`, `${NAME:-default}`"},
		{s.Bare, "`$NAME`"},
		{s.EnvPrefix, "`${env:NAME}`"},
		{s.Editor, "`${userHome}`, `${workspaceFolder}`"},
		{s.Inputs, "`${input:ID}`"},
	} {
		if form.used {
			forms = append(forms, form.text)
		}
	}
	if forms == nil {
		return "none"
	}
	return strings.Join(forms, ", ")
}

// expands reports whether the client would not take text as it is.
func (s Syntax) expands(text string) bool { return s.pattern().MatchString(text) }

// pattern matches what the client replaces; its groups are what stands in it.
func (s Syntax) pattern() *regexp.Regexp {
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
