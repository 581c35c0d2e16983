package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Rule is what one client accepts as the name of a tool. Public names that it
// would refuse are replaced by aliases, of letters, digits, "_" and whatever else
// the client takes.
type Rule struct {
	Client string // what commands call it, such as "claude-desktop"
	Title  string // what people call it
	// Names are those that the client gives itself (clientInfo.name of
	// initialize), as they were seen.
	Names []string
	// Also are the characters that it takes beside letters, digits and "_".
	Also string
	// Max is how long a name may be, in characters. What the client puts before it
	// is taken off, for a server under [ServerKey] in its own configuration.
	Max int
	// Letter tells that a name must begin with a letter or "_".
	Letter bool
	// Sources are where the rule and the names were found.
	Sources []string
}

// ServerKey is how the aggregator is called in the configuration of clients:
// several put that before the name of each tool. A longer key leaves less room
// than the rules reckon with.
const ServerKey = "aggregator"

// longest is what the models' own interfaces accept: 64 characters.
const longest = 64

// seen is where the names of clients were collected from their initialize.
const seen = "npm:mcp-client-capabilities@0.0.14"

// Rules are those of all clients known to have one.
func Rules() []Rule {
	return []Rule{
		{
			Client: "claude-desktop", Title: "Claude Desktop", Names: []string{"claude-ai"},
			Also: "-", Max: longest,
			Sources: []string{seen, "github.com/docker/mcp-gateway/issues/228", "github.com/evoila/meho/issues/2745"},
		},
		{
			Client: "claude-code", Title: "Claude Code", Names: []string{"claude-code"},
			Also: "-", Max: longest - len("mcp__"+ServerKey+"__"),
			Sources: []string{seen, "github.com/anthropics/claude-code/issues/2326", "github.com/anthropics/claude-code/issues/22276"},
		},
		{
			Client: "cursor", Title: "Cursor", Names: []string{"cursor-vscode"},
			Max:     59 - len(ServerKey), // together they must stay below 60
			Sources: []string{seen, "github.com/ComposioHQ/composio/issues/2788", "github.com/webstudio-is/webstudio/issues/5960"},
		},
		{
			Client: "vscode", Title: "VS Code", Names: []string{"Visual Studio Code", "Visual-Studio-Code"},
			Also: "-", Max: longest - 18, // the longest prefix that it makes of a server's name
			Sources: []string{seen, "github.com/microsoft/vscode/issues/243602", "github.com/microsoft/vscode/issues/308463"},
		},
		{
			Client: "copilot-cli", Title: "GitHub Copilot CLI", Names: []string{"github-copilot-developer"},
			Also: "-", Max: longest - len(ServerKey+"-"),
			Sources: []string{seen, "github.com/github/copilot-cli/issues/1879", "github.com/github/copilot-cli/issues/2581"},
		},
		{
			Client: "codex", Title: "Codex", Names: []string{"codex-mcp-client", "Codex"},
			Also: "-", Max: longest - len("mcp__"+ServerKey+"__"),
			Sources: []string{seen, "github.com/openai/codex/issues/8174", "github.com/screenpipe/screenpipe/pull/5796"},
		},
		{
			Client: "gemini", Title: "Gemini CLI", Names: []string{"gemini-cli-mcp-client"},
			Also: ".-", Max: longest - 1 - len("mcp_"+ServerKey+"_"), Letter: true,
			Sources: []string{seen, "github.com/google-gemini/gemini-cli/issues/2966", "github.com/google-gemini/gemini-cli/pull/20987"},
		},
	}
}

// ruleOf returns the rule of the client that gives itself that name; nil when none
// is known, however similar the name.
func ruleOf(name string) *Rule {
	for _, r := range Rules() {
		if slices.Contains(r.Names, name) {
			return &r
		}
	}
	return nil
}

// Problem says why the client refuses a name; "" when it does not.
func (r *Rule) Problem(name string) string {
	switch bad := strings.IndexFunc(name, func(c rune) bool { return !r.takes(c) }); {
	case name == "":
		return "it is empty"
	case bad >= 0:
		return fmt.Sprintf("it has %q", []rune(name[bad:])[0])
	case len(name) > r.Max:
		return fmt.Sprintf("it has %d characters, more than %d", len(name), r.Max)
	case r.Letter && !isLetter(rune(name[0])):
		return `it does not begin with a letter or "_"`
	}
	return ""
}

func (r *Rule) takes(c rune) bool {
	return isLetter(c) || '0' <= c && c <= '9' || strings.ContainsRune(r.Also, c)
}

func isLetter(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// joint stands between key and tool name in aliases.
const joint = "__"

// aliases returns the names under which the client sees tools, which have
// different canonical names, when the servers of the file have those keys. They are
// the same for the same tools, and different from each other: where two would meet,
// each gets a hash. Servers may come and go; so what could be a tool of another one's
// has it, too, whether that runs or not.
func (r *Rule) aliases(tools []*Entry, keys []string) []string {
	prefixes := r.prefixesOf(keys)
	whole, plain := make([]string, len(tools)), make([]string, len(tools))
	wanted := make(map[string]int, len(tools))
	for i, e := range tools {
		own := r.prefix(e.Server)
		whole[i] = own + r.clean(ends(e.Own, r.Max+prefixes.longest))
		if !prefixes.contested(whole[i], len(own)) {
			plain[i] = r.fit(e, whole[i], 0)
			wanted[plain[i]]++
		}
	}
	names, taken := make([]string, len(tools)), make(map[string]bool, len(tools))
	for i, e := range tools {
		name := plain[i]
		free := wanted[name] == 1 && !taken[name]
		for digits := shortHash; !free; digits += 2 {
			name = r.fit(e, whole[i], digits)
			free = wanted[name] == 0 && !taken[name]
		}
		names[i], taken[name] = name, true
	}
	return names
}

// prefixes are those of all servers, and how many have each.
type prefixes struct {
	count   map[string]int
	longest int
}

func (r *Rule) prefixesOf(keys []string) prefixes {
	p := prefixes{count: make(map[string]int, len(keys))}
	for _, key := range keys {
		prefix := r.prefix(key)
		p.count[prefix]++
		p.longest = max(p.longest, len(prefix))
	}
	return p
}

// contested reports whether another server than that of a tool, whose prefix is as
// long as own says, could have one of that name: its prefix is the same, or a longer
// beginning of the name.
func (p prefixes) contested(name string, own int) bool {
	for end := min(len(name), p.longest); end >= own; end-- {
		if n := p.count[name[:end]]; n > 0 {
			return n > 1 || end > own
		}
	}
	return false
}

// ends leaves out the middle of a text that will be cut in any case: what is left
// has more than enough characters at its beginning and its end.
func ends(text string, enough int) string {
	if most := enough * utf8.UTFMax; len(text) > 2*most {
		return text[:most] + text[len(text)-most:]
	}
	return text
}

// shortHash is how many hexadecimal digits of the hash of a canonical name stand
// in an alias, unless that is not enough to tell it from others.
const shortHash = 6

// fit makes an alias of the whole name of a tool, with that many digits of a hash in
// it; with 0, a hash only if it is too long and has to be cut.
func (r *Rule) fit(e *Entry, name string, digits int) string {
	if digits == 0 && len(name) <= r.Max {
		return name
	}
	sum := sha256.Sum256([]byte(e.Canonical))
	mark := "_" + hex.EncodeToString(sum[:])[:max(digits, shortHash)]
	if len(name)+len(mark) <= r.Max {
		return name + mark
	}
	rest := r.Max - len(mark) - 1
	tail := rest / 2
	return name[:rest-tail] + mark + "_" + name[len(name)-tail:]
}

// prefix is what the alias of every tool of a server begins with, unless it is
// cut.
func (r *Rule) prefix(key string) string {
	prefix := r.clean(key) + joint
	if r.Letter && !isLetter(rune(prefix[0])) {
		prefix = "_" + prefix
	}
	return prefix
}

// clean replaces what the client does not take.
func (r *Rule) clean(text string) string {
	return strings.Map(func(c rune) rune {
		if r.takes(c) {
			return c
		}
		return '_'
	}, text)
}

// mayOwn reports whether that could be the alias of a tool of the server.
func (r *Rule) mayOwn(key, name string) bool {
	const longHash = 16 // more digits than an alias ever has
	prefix := r.prefix(key)
	uncut := (r.Max - longHash - 2) / 2
	return strings.HasPrefix(name, prefix[:min(len(prefix), uncut)])
}
