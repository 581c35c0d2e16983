package clienttest

import "time"

// Row has the facts about one client. Fields that do not apply are zero.
type Row struct {
	// Info is a clientInfo.name of the client. Accepts is a regular expression of the
	// tool names that it accepts.
	Info, Accepts string
	// Tools, Tokens and Start are its limits. Shell is set if it is started from a
	// shell. Refuses has the kinds of findings about schemas that concern this client
	// but not all clients.
	Tools, Tokens int
	Start         time.Duration
	Shell         bool
	Refuses       []string
	// Files has the paths of the user's files by GOOS. The home folder is /Users/you,
	// C:/Users/you with APPDATA set, or /home/you.
	Files map[string][]string
	// Expand expands a text of a server as the client does.
	Expand func(m Machine, text string) string
	// Reference is its reference to the variable API_KEY; "" if it has no syntax for it.
	Reference string
}

// Rows returns all clients, by key.
func Rows() map[string]Row {
	const mac, windows, linux = "/Users/you/Library/Application Support/", "C:/Users/you/AppData/Roaming/", "/home/you/.config/"
	const extension = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
	claude := []string{"boolean_bound", "property_name", "schema_composed"}
	openAI := []string{"properties_missing"}
	return map[string]Row{
		"claude-desktop": {
			Info: "claude-ai", Accepts: `^[a-zA-Z0-9_-]{1,64}$`,
			Start: time.Minute, Refuses: claude,
			Files: map[string][]string{
				"darwin":  {mac + "Claude/claude_desktop_config.json"},
				"windows": {windows + "Claude/claude_desktop_config.json"},
				"linux":   {linux + "Claude/claude_desktop_config.json"},
			},
			Expand: nothing,
		},
		"claude-code": {
			Info: "claude-code", Accepts: `^[a-zA-Z0-9_-]{1,47}$`, // 64 with mcp__aggregator__
			Tokens: 25_000, Start: time.Minute, Shell: true, Refuses: claude,
			Files:  home(".claude.json"),
			Expand: braces, Reference: "${API_KEY}",
		},
		"cursor": {
			Info: "cursor-vscode", Accepts: `^[a-zA-Z0-9_]{1,49}$`, // 59 with aggregator
			Tools: 80, Refuses: openAI,
			Files:  home(".cursor/mcp.json"),
			Expand: editor, Reference: "${env:API_KEY}",
		},
		"vscode": {
			Info: "Visual Studio Code", Accepts: `^[a-zA-Z0-9_-]{1,46}$`, // 64 with the longest prefix
			Tools: 128, Refuses: []string{"array_without_items", "properties_missing"},
			Files: map[string][]string{
				"darwin":  {mac + "Code/User/mcp.json"},
				"windows": {windows + "Code/User/mcp.json"},
				"linux":   {linux + "Code/User/mcp.json"},
			},
			Expand: editorWithInputs, Reference: "${env:API_KEY}",
		},
		"windsurf": {
			Tools: 100, Refuses: openAI,
			Files:  home(".codeium/windsurf/mcp_config.json"),
			Expand: prefixedInBraces, Reference: "${env:API_KEY}",
		},
		"cline": {
			Refuses: openAI,
			Files: map[string][]string{
				"darwin":  {"/Users/you/.cline/data/settings/cline_mcp_settings.json", mac + extension},
				"windows": {"C:/Users/you/.cline/data/settings/cline_mcp_settings.json", windows + extension},
				"linux":   {"/home/you/.cline/data/settings/cline_mcp_settings.json", linux + extension},
			},
			Expand: prefixed, Reference: "${env:API_KEY}",
		},
		"copilot-cli": {
			Info: "github-copilot-developer", Accepts: `^[a-zA-Z0-9_-]{1,53}$`, // 64 with aggregator-
			Shell: true, Refuses: openAI,
		},
		"codex": {
			Info: "codex-mcp-client", Accepts: `^[a-zA-Z0-9_-]{1,47}$`, // 64 with mcp__aggregator__
			Start: 10 * time.Second, Shell: true, Refuses: []string{"properties_missing", "schema_composed"},
		},
		"gemini": {
			Info: "gemini-cli-mcp-client", Accepts: `^[a-zA-Z_][a-zA-Z0-9_.-]{0,47}$`, // 63 with mcp_aggregator_
			Shell: true, Refuses: []string{"enum_not_of_strings", "format_unknown"},
			Files:  home(".gemini/settings.json"),
			Expand: bracesOrBare, Reference: "${API_KEY}",
		},
	}
}

// home returns a file in the home folder for every system.
func home(file string) map[string][]string {
	return map[string][]string{"darwin": {"/Users/you/" + file}, "windows": {"C:/Users/you/" + file}, "linux": {"/home/you/" + file}}
}
