package doctor

import (
	"slices"
	"strings"
)

// titles are the names for people of the clients that the tables speak of.
var titles = map[string]string{
	"claude-desktop": "Claude Desktop",
	"claude-code":    "Claude Code",
	"codex":          "Codex",
	"copilot-cli":    "GitHub Copilot CLI",
	"cursor":         "Cursor",
	"gemini":         "Gemini CLI",
	"vscode":         "VS Code",
	"windsurf":       "Windsurf",
}

// Clients returns the keys of the clients that the tables speak of, sorted.
func Clients() []string {
	var keys []string
	for key := range titles {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// enumerate joins with commas and a last "and".
func enumerate(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
