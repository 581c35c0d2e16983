package doctor

import (
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
	// /etc/environment of Debian and Ubuntu, which pam_env(8) reads at each login.
	"linux": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:/snap/bin",
}

// desktopNames are variables that a session has before any shell is started:
// environ(7), launchd, and pam_systemd(8).
var desktopNames = map[string]bool{
	"DBUS_SESSION_BUS_ADDRESS": true, "DISPLAY": true, "HOME": true, "LANG": true, "LANGUAGE": true,
	"LOGNAME": true, "SHELL": true, "SSH_AUTH_SOCK": true, "TMPDIR": true, "TZ": true, "USER": true,
	"WAYLAND_DISPLAY": true, "XAUTHORITY": true,
}

// DesktopEnviron returns what environ, in the form of os.Environ, would be for a
// program that a desktop application starts on macOS or Linux: those variables
// that do not come from a shell's files, and the session's PATH. On an operating
// system that it knows nothing of it returns environ as it is.
func DesktopEnviron(goos string, environ []string) []string {
	path, known := desktopPaths[goos]
	if !known {
		return environ
	}
	session := []string{"PATH=" + path}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if desktopNames[name] || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
			session = append(session, entry)
		}
	}
	return session
}
