package doctor

import (
	"slices"
	"strings"
)

// titles are the names for people of the clients that can be judged for: those
// that the tables speak of, and those that import and install know.
var titles = map[string]string{
	"claude-desktop": "Claude Desktop",
	"claude-code":    "Claude Code",
	"cline":          "Cline",
	"codex":          "Codex",
	"copilot-cli":    "GitHub Copilot CLI",
	"cursor":         "Cursor",
	"gemini":         "Gemini CLI",
	"vscode":         "VS Code",
	"windsurf":       "Windsurf",
}

// Clients returns the keys of the clients that can be judged for, sorted. Of some
// no rule is known: what holds for every client holds for them.
func Clients() []string {
	var keys []string
	for key := range titles {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// terminal are the clients that a shell starts, with its PATH and variables.
var terminal = map[string]bool{"claude-code": true, "codex": true, "copilot-cli": true, "gemini": true}

// enumerate joins with commas and a last "and".
func enumerate(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
