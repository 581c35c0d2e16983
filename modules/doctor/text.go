package doctor

import (
	"strconv"
	"strings"
)

// shortened cuts what a server may have made long.
func shortened(text string) string { return shortenedTo(80, text) }

func shortenedTo(most int, text string) string { // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// plain returns a name as it is, but shortened, and quoted if it could garble a
// terminal.
func plain(name string) string {
	name = shortened(name)
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}
