package doctor

import (
	"slices"
	"strings"
)

// desktopPaths are the PATHs that desktop applications give, by operating
// system. Windows has it in the registry instead.
var desktopPaths = map[string]string{
	// What launchd gives, /usr/bin:/bin:/usr/sbin:/sbin, and what Claude Desktop
	// puts in front of it, as it logs for each server ("Using MCP server command:
	// ... with args and path"). It adds the folders of nvm as well, the oldest
	// version of node first, which is why those do not count here:
	// github.com/DollhouseMCP/mcp-server/issues/1902.
	"darwin": "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin",
	// /etc/environment of Debian and Ubuntu, which pam_env(8) reads at each login, and
	// where Go's own archive is unpacked: go.dev/doc/install has it put on the PATH in
	// /etc/profile or ~/.profile, which the scripts of graphical sessions read, too.
	"linux": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:/snap/bin:/usr/local/go/bin",
}

// desktopNames are the variables that a client which is made with the TypeScript SDK
// gives to a server: DEFAULT_INHERITED_ENV_VARS in client/stdio of
// @modelcontextprotocol/sdk. Its session may have others; those stay there.
var desktopNames = map[string][]string{
	"darwin": {"HOME", "LOGNAME", "SHELL", "TERM", "USER"},
	"linux":  {"HOME", "LOGNAME", "SHELL", "TERM", "USER"},
	"windows": {
		"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE",
		"SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
	},
}

// DesktopEnviron returns what environ, in the form of os.Environ, would be for a
// program that a desktop application starts: the variables that it passes on for
// sure, and the session's PATH, which on Windows is the one given. On an operating
// system that it knows nothing of it returns environ as it is.
func DesktopEnviron(goos string, environ []string, windowsPath string) []string {
	names, known := desktopNames[goos]
	if !known {
		return environ
	}
	path := desktopPaths[goos]
	if goos == "windows" {
		path = windowsPath
	}
	session := []string{"PATH=" + path}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if goos == "windows" {
			name = strings.ToUpper(name)
		}
		if slices.Contains(names, name) {
			session = append(session, entry)
		}
	}
	return session
}
