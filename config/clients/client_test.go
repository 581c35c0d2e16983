package clients_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-aggregator/config/clients"
	"mcp-aggregator/testutil/clienttest"
)

// system returns another machine with the environment of a user.
func system(goos, home string, environment map[string]string) clients.System {
	return clients.System{GOOS: goos, Home: home, Folder: "/work/this", Lookup: func(name string) (string, bool) {
		value, set := environment[name]
		return value, set
	}}
}

func TestFilesAreWhereTheClientsHaveThem(t *testing.T) {
	systems := map[string]clients.System{
		"darwin":  system("darwin", "/Users/you", nil),
		"windows": system("windows", "C:/Users/you", map[string]string{"APPDATA": "C:/Users/you/AppData/Roaming"}),
		"linux":   system("linux", "/home/you", nil),
	}
	for key, row := range clienttest.Rows() {
		for goos, want := range row.Files {
			if got := slashed(systems[goos].Files(client(t, key))); !slices.Equal(got, want) {
				t.Errorf("%s on %s: %q, want %q", key, goos, got, want)
			}
		}
	}
}

func slashed(paths []string) []string {
	for i := range paths {
		paths[i] = filepath.ToSlash(paths[i])
	}
	return paths
}

func TestVariablesOfPathsAreExpanded(t *testing.T) {
	const vscode = "/home/you/.config/Code/User/mcp.json"
	for name, test := range map[string]struct {
		system clients.System
		client string
		want   []string
	}{
		"Claude Code with a folder":          {system("linux", "/home/you", map[string]string{"CLAUDE_CONFIG_DIR": "/srv/claude"}), "claude-code", []string{"/srv/claude/.claude.json", "/home/you/.claude.json"}},
		"VS Code with an XDG folder":         {system("linux", "/home/you", map[string]string{"XDG_CONFIG_HOME": "/x"}), "vscode", []string{"/x/Code/User/mcp.json"}},
		"VS Code with a relative XDG folder": {system("linux", "/home/you", map[string]string{"XDG_CONFIG_HOME": "x"}), "vscode", []string{vscode}},
		"VS Code on FreeBSD":                 {system("freebsd", "/home/you", nil), "vscode", []string{vscode}},
		"no home folder":                     {system("linux", "", nil), "gemini", nil},
		"Windows without APPDATA":            {system("windows", "C:/Users/you", nil), "vscode", nil},
	} {
		if got := slashed(test.system.Files(client(t, test.client))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// place creates an empty file.
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

func TestTheFolderOfAWindowsPackageComesFirst(t *testing.T) {
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
	if err := os.Remove(packaged); err != nil { // the folder is sufficient
		t.Fatal(err)
	}
	if path, _ := s.Target(desktop); path != packaged {
		t.Errorf("%q, want %q", path, packaged)
	}
}

func TestTheHomeFolderAloneIsNoSignOfClaudeCode(t *testing.T) {
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

func TestUnrecognizedFilesAreGuessedByTheirContents(t *testing.T) {
	for text, want := range map[string]string{
		`{"servers": {}}`:                   "vscode",
		`{"servers": {}, "mcpServers": {}}`: "claude-code",
		`{"mcpServers": {}}`:                "claude-code",
		"{":                                 "claude-code", "": "claude-code",
	} {
		if got := clients.GuessClient([]byte(text)); got.Key != want {
			t.Errorf("%s: %s", text, got.Key)
		}
	}
}
