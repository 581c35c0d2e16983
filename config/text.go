package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// display returns s as it is, or quoted if it could garble a terminal.
func display(s string) string {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if s == "" || !utf8.ValidString(s) || strings.ContainsFunc(s, unprintable) {
		return strconv.Quote(s)
	}
	return s
}

// jsonPath is a place in the file, such as mcpServers.postgres.args[2].
type jsonPath string

const serversPath jsonPath = "mcpServers"

// Place returns the JSON path of the server with that key, as in an [Error].
func Place(key string) string { return string(serversPath.member(key)) }

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (p jsonPath) member(name string) jsonPath {
	if !plainName.MatchString(name) {
		return jsonPath(fmt.Sprintf("%s[%q]", p, name))
	}
	return p + "." + jsonPath(name)
}

func (p jsonPath) item(i int) jsonPath {
	return jsonPath(fmt.Sprintf("%s[%d]", p, i))
}
