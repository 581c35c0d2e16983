package clients

import "slices"

// Client is an MCP client, and what it keeps on disk.
type Client struct {
	Key     string // as --client takes it
	Name    string // as its maker writes it
	Servers string // root member that holds the servers
	// Files is the user's own file by GOOS, the one to prefer first. ~ is the
	// home folder, ~/.config is $XDG_CONFIG_HOME where that is set, %NAME% is a
	// variable; * stands for any name.
	Files map[string][]string
	// Sign is a folder that only this client makes, where the file lies in the
	// home folder itself.
	Sign    string
	Project []string // files of a project, from its folder
	Syntax  Syntax
	Typed   bool // its entries name their transport
	// Switches is the root member that may hold lists of the keys that are
	// "allowed" and "excluded"; "" if there is none.
	Switches string
}

// All returns every client, in the order in which they are imported.
//
// A file may be elsewhere when a client is started with an option of its own;
// --client-file and FILE are for that.
func All() []Client { return table() }

// Find returns the client with that key.
func Find(key string) (Client, bool) {
	for _, c := range table() {
		if c.Key == key {
			return c, true
		}
	}
	return Client{}, false
}

// table is a function so that serving, which needs none of it, does not build it.
func table() []Client { return slices.Concat(ofAnthropic(), editors(), others()) }

func ofAnthropic() []Client {
	return []Client{
		// modelcontextprotocol.io/docs/develop/connect-local-servers for macOS and
		// Windows. Since February 2026 the Windows installer makes an MSIX package,
		// which sees a folder of its own instead of %APPDATA%:
		// github.com/anthropics/claude-code/issues/26073. On Linux, Electron's
		// appData (electronjs.org/docs/latest/api/app#appgetpathname), as for the
		// unofficial builds. Variables are not expanded.
		{
			Key: "claude-desktop", Name: "Claude Desktop", Servers: "mcpServers",
			Files: map[string][]string{
				"darwin": {"~/Library/Application Support/Claude/claude_desktop_config.json"},
				"windows": {
					"%LOCALAPPDATA%/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
					"%APPDATA%/Claude/claude_desktop_config.json",
				},
				"linux": {"~/.config/Claude/claude_desktop_config.json"},
			},
		},
		// code.claude.com/docs/en/mcp: scopes (user and local ones in ~/.claude.json,
		// project ones in .mcp.json) and "Environment variable expansion in
		// .mcp.json"; CLAUDE_CONFIG_DIR: code.claude.com/docs/en/env-vars and
		// github.com/anthropics/claude-code/issues/48448.
		{
			Key: "claude-code", Name: "Claude Code", Servers: "mcpServers",
			Files:   everywhere("%CLAUDE_CONFIG_DIR%/.claude.json", "~/.claude.json"),
			Sign:    "~/.claude",
			Project: []string{".mcp.json"},
			Syntax:  Syntax{Braces: true},
		},
	}
}

func editors() []Client {
	return []Client{
		// cursor.com/docs/context/mcp: "Configuration locations", "Config
		// interpolation" and the members of a stdio server.
		{
			Key: "cursor", Name: "Cursor", Servers: "mcpServers",
			Files:   everywhere("~/.cursor/mcp.json"),
			Project: []string{".cursor/mcp.json"},
			Syntax:  Syntax{EnvPrefix: true, Editor: true, Closed: true},
		},
		// code.visualstudio.com/docs/copilot/reference/mcp-configuration for the
		// format; the user's folder: code.visualstudio.com/docs/configure/settings
		// ("User settings.json location"), of the default profile.
		{
			Key: "vscode", Name: "VS Code", Servers: "servers", Typed: true,
			Files: map[string][]string{
				"darwin":  {"~/Library/Application Support/Code/User/mcp.json"},
				"windows": {"%APPDATA%/Code/User/mcp.json"},
				"linux":   {"~/.config/Code/User/mcp.json"},
			},
			Project: []string{".vscode/mcp.json"},
			Syntax:  Syntax{EnvPrefix: true, Editor: true, Inputs: true, Closed: true},
		},
		// docs.windsurf.com/windsurf/cascade/mcp: mcp_config.json, and "Config
		// Interpolation" of ${env:NAME} and ${file:PATH}.
		{
			Key: "windsurf", Name: "Windsurf", Servers: "mcpServers",
			Files:  everywhere("~/.codeium/windsurf/mcp_config.json"),
			Syntax: Syntax{EnvPrefix: true, Closed: true},
		},
	}
}

func others() []Client {
	return []Client{
		// docs.cline.bot/cli/configuration for ~/.cline, shared by extension and CLI;
		// before it, the extension's folder within VS Code's (src/core/storage/disk.ts
		// of github.com/cline/cline). ${env:NAME}: github.com/cline/cline/pull/8079.
		{
			Key: "cline", Name: "Cline", Servers: "mcpServers",
			Files: map[string][]string{
				"darwin": {
					"~/.cline/data/settings/cline_mcp_settings.json",
					"~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
				},
				"windows": {
					"~/.cline/data/settings/cline_mcp_settings.json",
					"%APPDATA%/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
				},
				"linux": {
					"~/.cline/data/settings/cline_mcp_settings.json",
					"~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
				},
			},
			Syntax: Syntax{EnvPrefix: true},
		},
		// docs/tools/mcp-server.md and packages/cli/src/utils/envVarResolver.ts of
		// github.com/google-gemini/gemini-cli: $NAME and ${NAME} in every string;
		// "Global MCP settings" for mcp.allowed and mcp.excluded.
		{
			Key: "gemini", Name: "Gemini CLI", Servers: "mcpServers", Switches: "mcp",
			Files:   everywhere("~/.gemini/settings.json"),
			Project: []string{".gemini/settings.json"},
			Syntax:  Syntax{Braces: true, Bare: true},
		},
	}
}

func everywhere(files ...string) map[string][]string {
	return map[string][]string{"darwin": files, "windows": files, "linux": files}
}
