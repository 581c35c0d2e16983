package clienttable

import "time"

const (
	// maxName is the longest name that the APIs of the models accept, in characters.
	maxName = 64
	// clientNames is a collection of the names that clients send in initialize.
	clientNames = "npm:mcp-client-capabilities@0.0.14"
	// CommonFormat is the key of the client whose file format most others share.
	CommonFormat = "claude-code"
)

// table has one row for each client.
var table = []Client{
	{
		Key: "claude-desktop", Title: "Claude Desktop", Names: []string{"claude-ai"},
		Naming: &NamingRule{
			ExtraCharacters: "-", MaxLength: maxName,
			Sources: []string{clientNames, "github.com/docker/mcp-gateway/issues/228", "github.com/evoila/meho/issues/2745"},
		},
		Models: Models{Always: ClaudeAPI},
		Limits: Limits{
			StartTime: 60 * time.Second,
			Sources:   []string{"DEFAULT_REQUEST_TIMEOUT_MSEC of @modelcontextprotocol/sdk, for initialize"},
		},
		// modelcontextprotocol.io/docs/develop/connect-local-servers for macOS and
		// Windows. Since February 2026 the Windows installer makes an MSIX package,
		// which sees a folder of its own instead of %APPDATA%:
		// github.com/anthropics/claude-code/issues/26073. On Linux, Electron's
		// appData (electronjs.org/docs/latest/api/app#appgetpathname), as for the
		// unofficial builds. Variables are not expanded.
		Config: &Config{
			Servers: "mcpServers",
			Files: map[string][]string{
				"darwin": {"~/Library/Application Support/Claude/claude_desktop_config.json"},
				"windows": {
					"%LOCALAPPDATA%/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
					"%APPDATA%/Claude/claude_desktop_config.json",
				},
				"linux": {"~/.config/Claude/claude_desktop_config.json"},
			},
		},
	},
	{
		Key: "claude-code", Title: "Claude Code", Names: []string{"claude-code"},
		Naming: &NamingRule{
			ExtraCharacters: "-", MaxLength: maxName - len("mcp__"+ServerKey+"__"),
			Sources: []string{clientNames, "github.com/anthropics/claude-code/issues/2326", "github.com/anthropics/claude-code/issues/22276"},
		},
		Shell:  true,
		Models: Models{Always: ClaudeAPI},
		Limits: Limits{
			Tokens:    25_000, // "Large MCP tools context (~144,802 tokens > 25,000)"
			StartTime: 60 * time.Second,
			Sources: []string{
				"github.com/anthropics/claude-code/issues/12241",
				"as Claude Desktop, github.com/anthropics/claude-code/issues/43299",
			},
		},
		// code.claude.com/docs/en/mcp: scopes (user and local ones in ~/.claude.json,
		// project ones in .mcp.json) and "Environment variable expansion in
		// .mcp.json"; CLAUDE_CONFIG_DIR: code.claude.com/docs/en/env-vars and
		// github.com/anthropics/claude-code/issues/48448.
		Config: &Config{
			Servers:      "mcpServers",
			Files:        onEverySystem("%CLAUDE_CONFIG_DIR%/.claude.json", "~/.claude.json"),
			ClientFolder: "~/.claude",
			Project:      []string{".mcp.json"},
			Syntax:       Syntax{Braces: true},
		},
	},
	{
		Key: "cursor", Title: "Cursor", Names: []string{"cursor-vscode"},
		Naming: &NamingRule{
			MaxLength: 59 - len(ServerKey), // together they must stay below 60
			Sources:   []string{clientNames, "github.com/ComposioHQ/composio/issues/2788", "github.com/webstudio-is/webstudio/issues/5960"},
		},
		Models: Models{Choice: []API{OpenAIAPI}},
		Limits: Limits{Tools: 80, Sources: []string{"github.com/Snowflake-Labs/mcp/issues/77"}},
		// cursor.com/docs/context/mcp: "Configuration locations", "Config
		// interpolation" and the members of a stdio server.
		Config: &Config{
			Servers: "mcpServers",
			Files:   onEverySystem("~/.cursor/mcp.json"), CommonName: true,
			Project: []string{".cursor/mcp.json"},
			Syntax:  Syntax{EnvPrefix: true, Editor: true, OthersUnknown: true},
		},
	},
	{
		Key: "vscode", Title: "VS Code", Names: []string{"Visual Studio Code", "Visual-Studio-Code"},
		Naming: &NamingRule{
			ExtraCharacters: "-", MaxLength: maxName - 18, // the longest prefix that it makes of a server's name
			Sources: []string{clientNames, "github.com/microsoft/vscode/issues/243602", "github.com/microsoft/vscode/issues/308463"},
		},
		Models:        Models{Choice: []API{OpenAIAPI}},
		ItemsRequired: true, // github.com/microsoft/vscode/issues/246119
		Limits:        Limits{Tools: 128, Sources: []string{"github.com/microsoft/vscode-copilot-release/issues/11653"}},
		// code.visualstudio.com/docs/copilot/reference/mcp-configuration for the
		// format; the user's folder: code.visualstudio.com/docs/configure/settings
		// ("User settings.json location"), of the default profile.
		Config: &Config{
			Servers: "servers", WritesType: true,
			Files: map[string][]string{
				"darwin":  {"~/Library/Application Support/Code/User/mcp.json"},
				"windows": {"%APPDATA%/Code/User/mcp.json"},
				"linux":   {"~/.config/Code/User/mcp.json"},
			},
			CommonName: true,
			Project:    []string{".vscode/mcp.json"},
			Syntax:     Syntax{EnvPrefix: true, Editor: true, Inputs: true, OthersUnknown: true},
		},
	},
	{
		Key: "windsurf", Title: "Windsurf",
		Models: Models{Choice: []API{OpenAIAPI}},
		Limits: Limits{Tools: 100, Sources: []string{"docs.windsurf.com/windsurf/cascade/mcp"}},
		// docs.windsurf.com/windsurf/cascade/mcp: mcp_config.json, and "Config
		// Interpolation" of ${env:NAME} and ${file:PATH}.
		Config: &Config{
			Servers: "mcpServers",
			Files:   onEverySystem("~/.codeium/windsurf/mcp_config.json"),
			Syntax:  Syntax{EnvPrefix: true, OthersUnknown: true},
		},
	},
	{
		Key: "cline", Title: "Cline",
		Models: Models{Choice: []API{OpenAIAPI}},
		// docs.cline.bot/cli/configuration for ~/.cline, shared by extension and CLI;
		// before it, the extension's folder within VS Code's (src/core/storage/disk.ts
		// of github.com/cline/cline). ${env:NAME}: github.com/cline/cline/pull/8079.
		Config: &Config{
			Servers: "mcpServers",
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
	},
	{
		Key: "copilot-cli", Title: "GitHub Copilot CLI", Names: []string{"github-copilot-developer"},
		Naming: &NamingRule{
			ExtraCharacters: "-", MaxLength: maxName - len(ServerKey+"-"),
			Sources: []string{clientNames, "github.com/github/copilot-cli/issues/1879", "github.com/github/copilot-cli/issues/2581"},
		},
		Shell:  true,
		Models: Models{Choice: []API{OpenAIAPI}},
	},
	{
		Key: "codex", Title: "Codex", Names: []string{"codex-mcp-client", "Codex"},
		Naming: &NamingRule{
			ExtraCharacters: "-", MaxLength: maxName - len("mcp__"+ServerKey+"__"),
			Sources: []string{clientNames, "github.com/openai/codex/issues/8174", "github.com/screenpipe/screenpipe/pull/5796"},
		},
		Shell:  true,
		Models: Models{Always: OpenAIAPI},
		Limits: Limits{
			StartTime: 10 * time.Second,
			Sources:   []string{"the default of startup_timeout_sec, github.com/openai/codex/issues/11851"},
		},
	},
	{
		Key: "gemini", Title: "Gemini CLI", Names: []string{"gemini-cli-mcp-client"},
		Naming: &NamingRule{
			ExtraCharacters: ".-", MaxLength: maxName - 1 - len("mcp_"+ServerKey+"_"), LetterFirst: true,
			Sources: []string{clientNames, "github.com/google-gemini/gemini-cli/issues/2966", "github.com/google-gemini/gemini-cli/pull/20987"},
		},
		Shell:  true,
		Models: Models{Always: GeminiAPI},
		// docs/tools/mcp-server.md and packages/cli/src/utils/envVarResolver.ts of
		// github.com/google-gemini/gemini-cli: $NAME and ${NAME} in every string;
		// "Global MCP settings" for mcp.allowed and mcp.excluded.
		Config: &Config{
			Servers: "mcpServers", AllowLists: "mcp",
			Files: onEverySystem("~/.gemini/settings.json"), CommonName: true,
			Project: []string{".gemini/settings.json"},
			Syntax:  Syntax{Braces: true, Bare: true},
		},
	},
}
