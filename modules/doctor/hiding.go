package doctor

import (
	"fmt"
	"strconv"
	"strings"
)

// hiding says how to hide exactly that tool. A name that cannot be shown whole and
// as it is cannot be typed either.
func hiding(tool definition) string {
	if shortened(tool.Name) != tool.Name || strings.ContainsFunc(tool.Name, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
		return fmt.Sprintf("hide the tool at place %d of the server %q", tool.place, shortened(tool.Server))
	}
	return "hide it with --deny=" + shellWord(globbed(tool.Name))
}

// globbed is the pattern, as of path.Match, that matches the name alone.
func globbed(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// shellWord quotes what a shell would not take as it is: POSIX, 2.2.2.
func shellWord(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(unquoted, r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// unquoted are the characters that mean themselves to every shell.
const unquoted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/@"
