package servers

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// reference is what a value is expanded by when the server is connected.
var reference = regexp.MustCompile(`\$(?:[A-Z_][A-Z0-9_]*|\{[^}]+\})`)

// startsWithReference reports whether nobody can tell yet how text begins.
func startsWithReference(text string) bool {
	at := reference.FindStringIndex(text)
	return at != nil && at[0] == 0
}

// url checks an address of HTTP, as far as its references let it.
func (p *findings) url(pointer, text string) {
	if strings.ContainsAny(text, "\x00\r\n") {
		p.add(pointer, noControl)
		return
	}
	if strings.Contains(text, Redacted) {
		p.text(pointer, text)
		return
	}
	if why := unfitURL(text); why != "" && !startsWithReference(text) {
		p.add(pointer, "%s", why)
	}
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// unfitURL says what is wrong with an address; nothing of it, which may be secret.
func unfitURL(text string) string {
	// A digit can stand wherever a reference can, even in the place of a port.
	u, err := url.Parse(reference.ReplaceAllString(text, "1"))
	switch {
	case err != nil:
		return "is no URL: use one like https://example.com/mcp"
	case u.Scheme != "http" && u.Scheme != "https":
		return "is no URL of HTTP: begin it with https:// or http://"
	case u.Hostname() == "":
		return "has no host: use a URL like https://example.com/mcp"
	case u.Port() != "" && !isPort(u.Port()):
		return "has a port that is none: use one from 1 to 65535"
	case u.Fragment != "":
		return "has a fragment, which no server sees: leave out # and what follows"
	case u.User != nil:
		return "holds a user or a password: put them into headers, best as ${NAME}"
	default:
		return ""
	}
}
