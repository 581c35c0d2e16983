package clients

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// carried are the members that need no word: they are taken over, they are
// dealt with, or they are for people only.
var carried = []string{
	"command", "args", "env", "cwd", "type", "transport", "transportType", "disabled",
	"url", "serverUrl", "httpUrl", // null, or the server would not have been read
	"name", "description", "icon", "gallery", "version", "$schema",
}

// fates says what becomes of the other members that clients are known to have.
var fates = map[string]string{
	"envFile":        "the server does not get the variables of that file; put them into its env",
	"sandbox":        "the server runs outside the sandbox",
	"sandboxEnabled": "the server runs outside the sandbox",
	"dev":            "development mode is not carried over",
	"headers":        "it is for remote servers only",
	"headersHelper":  "it is for remote servers only",
	"oauth":          "it is for remote servers only",
	"auth":           "it is for remote servers only",
	"timeout":        "calls take as long as the client allows for the aggregator",
	"trust":          "approvals are up to the client; give them there again",
	"autoApprove":    "approvals are up to the client; give them there again",
	"alwaysAllow":    "approvals are up to the client; give them there again",
	"includeTools":   "all tools of the server are offered; choose with --allow and --deny",
	"excludeTools":   "all tools of the server are offered; choose with --allow and --deny",
	"disabledTools":  "all tools of the server are offered; choose with --allow and --deny",
}

// Fates returns what becomes of the members of a server that clients act on and
// the aggregator does not, by their names.
func Fates() map[string]string { return maps.Clone(fates) }

// notes tells of the members of a server that are left behind.
func notes(server *hujson.Value) (lines []string) {
	for _, m := range membersOf(server) {
		name := nameOf(m)
		if slices.Contains(carried, name) {
			continue
		}
		fate, known := fates[name]
		if !known {
			fate = "it is not understood, and not carried over"
		}
		lines = append(lines, fmt.Sprintf("%q: %s", name, fate))
	}
	return lines
}

// Program is the name of the aggregator's program and of its npm package.
const Program = "mcp-simple-aggregator"

// launchers run the program that their first argument names.
var launchers = []string{"npx", "bunx", "npm", "pnpm", "yarn", "bun", "cmd", "env", "nohup", "go", "docker", "podman"}

// words may stand between a launcher and the program.
var words = []string{"exec", "dlx", "run", "x", "/c", "/C"}

// startsAggregator reports whether a command is this program, whose file is
// self, or runs it by a launcher.
func startsAggregator(command string, args []string, self string) bool {
	if isProgram(command) || self != "" && command == self {
		return true
	}
	launcher := programName(command)
	for _, arg := range args {
		switch {
		case !slices.Contains(launchers, launcher):
			return false
		case isProgram(arg):
			return true
		case slices.Contains(launchers, programName(arg)):
			launcher = programName(arg)
		case slices.Contains(words, arg), strings.HasPrefix(arg, "-"), strings.Contains(arg, "="):
		default:
			return false
		}
	}
	return false
}

func isProgram(word string) bool { return programName(word) == Program }

// programName is the last element of a path without what Windows, npm and
// container images add to a name.
func programName(word string) string {
	name := word[strings.LastIndexAny(word, `/\`)+1:]
	if at := strings.IndexAny(name, "@:"); at > 0 {
		name = name[:at]
	}
	switch extension := strings.ToLower(filepath.Ext(name)); extension {
	case ".exe", ".cmd", ".bat", ".ps1":
		return name[:len(name)-len(extension)]
	}
	return name
}
