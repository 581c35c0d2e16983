package clients_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-aggregator/config/clients"
)

// system is one of another machine; its environment is what a user of it has.
func system(goos, home string, environment map[string]string) clients.System {
	return clients.System{GOOS: goos, Home: home, Folder: "/work/this", Lookup: func(name string) (string, bool) {
		value, set := environment[name]
		return value, set
	}}
}

func TestFilesLieWhereTheMakersSay(t *testing.T) {
	const vscodeMac, vscodeLinux = "/Users/you/Library/Application Support/Code/User/", "/home/you/.config/Code/User/"
	const extension = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
	mac := system("darwin", "/Users/you", nil)
	windows := system("windows", "C:/Users/you", map[string]string{"APPDATA": "C:/Users/you/AppData/Roaming"})
	linux := system("linux", "/home/you", nil)
	for name, test := range map[string]struct {
		system clients.System
		client string
		want   []string
	}{
		"Claude Desktop on macOS":            {mac, "claude-desktop", []string{"/Users/you/Library/Application Support/Claude/claude_desktop_config.json"}},
		"Claude Desktop on Windows":          {windows, "claude-desktop", []string{"C:/Users/you/AppData/Roaming/Claude/claude_desktop_config.json"}},
		"Claude Desktop on Linux":            {linux, "claude-desktop", []string{"/home/you/.config/Claude/claude_desktop_config.json"}},
		"Claude Code on macOS":               {mac, "claude-code", []string{"/Users/you/.claude.json"}},
		"Claude Code on Windows":             {windows, "claude-code", []string{"C:/Users/you/.claude.json"}},
		"Claude Code on Linux":               {linux, "claude-code", []string{"/home/you/.claude.json"}},
		"Claude Code with a folder":          {system("linux", "/home/you", map[string]string{"CLAUDE_CONFIG_DIR": "/srv/claude"}), "claude-code", []string{"/srv/claude/.claude.json", "/home/you/.claude.json"}},
		"Cursor on macOS":                    {mac, "cursor", []string{"/Users/you/.cursor/mcp.json"}},
		"Cursor on Windows":                  {windows, "cursor", []string{"C:/Users/you/.cursor/mcp.json"}},
		"Cursor on Linux":                    {linux, "cursor", []string{"/home/you/.cursor/mcp.json"}},
		"VS Code on macOS":                   {mac, "vscode", []string{vscodeMac + "mcp.json"}},
		"VS Code on Windows":                 {windows, "vscode", []string{"C:/Users/you/AppData/Roaming/Code/User/mcp.json"}},
		"VS Code on Linux":                   {linux, "vscode", []string{vscodeLinux + "mcp.json"}},
		"VS Code with an XDG folder":         {system("linux", "/home/you", map[string]string{"XDG_CONFIG_HOME": "/x"}), "vscode", []string{"/x/Code/User/mcp.json"}},
		"VS Code with a relative XDG folder": {system("linux", "/home/you", map[string]string{"XDG_CONFIG_HOME": "x"}), "vscode", []string{vscodeLinux + "mcp.json"}},
		"VS Code on FreeBSD":                 {system("freebsd", "/home/you", nil), "vscode", []string{vscodeLinux + "mcp.json"}},
		"Windsurf on macOS":                  {mac, "windsurf", []string{"/Users/you/.codeium/windsurf/mcp_config.json"}},
		"Windsurf on Windows":                {windows, "windsurf", []string{"C:/Users/you/.codeium/windsurf/mcp_config.json"}},
		"Windsurf on Linux":                  {linux, "windsurf", []string{"/home/you/.codeium/windsurf/mcp_config.json"}},
		"Cline on macOS":                     {mac, "cline", []string{"/Users/you/.cline/data/settings/cline_mcp_settings.json", vscodeMac + extension}},
		"Cline on Windows":                   {windows, "cline", []string{"C:/Users/you/.cline/data/settings/cline_mcp_settings.json", "C:/Users/you/AppData/Roaming/Code/User/" + extension}},
		"Cline on Linux":                     {linux, "cline", []string{"/home/you/.cline/data/settings/cline_mcp_settings.json", vscodeLinux + extension}},
		"Gemini on macOS":                    {mac, "gemini", []string{"/Users/you/.gemini/settings.json"}},
		"Gemini on Windows":                  {windows, "gemini", []string{"C:/Users/you/.gemini/settings.json"}},
		"Gemini on Linux":                    {linux, "gemini", []string{"/home/you/.gemini/settings.json"}},
		"nobody's home":                      {system("linux", "", nil), "gemini", nil},
		"Windows without APPDATA":            {system("windows", "C:/Users/you", nil), "vscode", nil},
	} {
		got := test.system.Files(client(t, test.client))
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// place makes an empty file.
func place(t *testing.T, elements ...string) string {
	t.Helper()
	path := filepath.Join(elements...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheFolderThatAWindowsPackageSeesComesFirst(t *testing.T) {
	local, roaming := t.TempDir(), t.TempDir()
	s := system("windows", t.TempDir(), map[string]string{"LOCALAPPDATA": local, "APPDATA": roaming})
	desktop := client(t, "claude-desktop")
	if path, searched := s.Target(desktop); path != "" || len(searched) != 1 {
		t.Errorf("without the client: %q, %q", path, searched)
	}
	plain := place(t, roaming, "Claude", "claude_desktop_config.json")
	if path, _ := s.Target(desktop); path != plain {
		t.Errorf("%q, want %q", path, plain)
	}
	packaged := place(t, local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
	if err := os.Remove(packaged); err != nil { // the folder says enough
		t.Fatal(err)
	}
	if path, _ := s.Target(desktop); path != packaged {
		t.Errorf("%q, want %q", path, packaged)
	}
}

func TestTheHomeFolderAloneSaysNothingOfClaudeCode(t *testing.T) {
	home := t.TempDir()
	s, code := system("linux", home, nil), client(t, "claude-code")
	if path, _ := s.Target(code); path != "" {
		t.Errorf("found at %q", path)
	}
	place(t, home, ".claude", "settings.json")
	if path, _ := s.Target(code); path != filepath.Join(home, ".claude.json") {
		t.Errorf("found at %q", path)
	}
}

func TestFilesAreRecognizedByTheirNames(t *testing.T) {
	s := system("linux", "/home/you", nil)
	for path, want := range map[string][2]string{
		"/home/you/.cursor/mcp.json":           {"cursor", ""},
		"/home/you/.config/Code/User/mcp.json": {"vscode", ""},
		"/backup/claude_desktop_config.json":   {"claude-desktop", ""},
		"/backup/.claude.json":                 {"claude-code", ""},
		"cline_mcp_settings.json":              {"cline", ""},
		"mcp_config.json":                      {"windsurf", ""},
		".mcp.json":                            {"claude-code", "/work/this"},
		"/work/other/.vscode/mcp.json":         {"vscode", "/work/other"},
		"/work/other/.cursor/mcp.json":         {"cursor", "/work/other"},
		".gemini/settings.json":                {"gemini", "/work/this"},
		"/somewhere/mcp.json":                  {"", ""},
		"/somewhere/settings.json":             {"", ""},
	} {
		c, folder, ok := s.Recognize(path)
		if got := [2]string{c.Key, filepath.ToSlash(folder)}; got != want || ok != (want[0] != "") {
			t.Errorf("%s: %q, %v; want %q", path, got, ok, want)
		}
	}
}

func TestFilesOfNobodyKnownAreTakenForWhatTheyLookLike(t *testing.T) {
	for text, want := range map[string]string{
		`{"servers": {}}`:                   "vscode",
		`{"servers": {}, "mcpServers": {}}`: "claude-code",
		`{"mcpServers": {}}`:                "claude-code",
		"{":                                 "claude-code", "": "claude-code",
	} {
		if got := clients.Guess([]byte(text)); got.Key != want {
			t.Errorf("%s: %s", text, got.Key)
		}
	}
}
