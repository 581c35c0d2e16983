package servers

import (
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// headerName is a token (RFC 9110, section 5.6.2).
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// noControl is said of texts that may have no control characters.
const noControl = "holds a line break or a NUL character: leave it out"

// connection checks that c fits the transport.
func (p *findings) connection(transport Transport, c Connection) {
	if transport == Stdio {
		p.stdio(c)
		p.foreign(transport, map[string]bool{"url": c.URL != "", "headers": len(c.Headers) > 0})
		return
	}
	p.remote(transport, c)
	p.foreign(transport, map[string]bool{
		"command": c.Command != "", "args": len(c.Args) > 0, "env": len(c.Env) > 0, "cwd": c.Cwd != "",
	})
}

// foreign refuses the members that are of another transport.
func (p *findings) foreign(transport Transport, given map[string]bool) {
	for _, member := range slices.Sorted(maps.Keys(given)) {
		if given[member] {
			p.add(at(member), "is not for %s: leave it out, or change transport_type", transport)
		}
	}
}

func (p *findings) stdio(c Connection) {
	if c.Command == "" {
		p.add(at("command"), "is missing: %s needs the program to run", Stdio)
	}
	p.text(at("command"), c.Command)
	for i, arg := range c.Args {
		p.text(at("args", strconv.Itoa(i)), arg)
	}
	for _, variable := range slices.Sorted(maps.Keys(c.Env)) {
		p.variable(at("env", variable), variable, c.Env[variable])
	}
	p.text(at("cwd"), c.Cwd)
	if c.Cwd != "" && !filepath.IsAbs(c.Cwd) && !startsWithReference(c.Cwd) {
		p.add(at("cwd"), "is a relative path: give an absolute one")
	}
}

// text checks what a program is given: no argument can hold a NUL.
func (p *findings) text(pointer, text string) {
	switch {
	case strings.ContainsRune(text, 0):
		p.add(pointer, "holds a NUL character: leave it out")
	case strings.Contains(text, Redacted):
		p.add(pointer, "holds %s, which stands for a secret that is not shown: give the secret", Redacted)
	}
}

func (p *findings) variable(pointer, variable, value string) {
	if variable == "" || strings.ContainsAny(variable, "=\x00\r\n") {
		p.add(pointer, "is no name of a variable: it is empty, or holds =, a line break or a NUL character")
	}
	p.text(pointer, value)
}

func (p *findings) remote(transport Transport, c Connection) {
	if c.URL == "" {
		p.add(at("url"), "is missing: %s needs the address of the server", transport)
	} else {
		p.url(at("url"), c.URL)
	}
	seen := map[string]bool{}
	for _, header := range slices.Sorted(maps.Keys(c.Headers)) {
		p.header(at("headers", header), header, c.Headers[header])
		folded := strings.ToLower(header)
		if seen[folded] {
			p.add(at("headers", header), "is there twice: names of headers are the same in upper and lower case")
		}
		seen[folded] = true
	}
}

func (p *findings) header(pointer, header, value string) {
	if !headerName.MatchString(header) {
		p.add(pointer, "is no name of a header")
	}
	switch {
	case strings.ContainsAny(value, "\x00\r\n"):
		p.add(pointer, noControl)
	default:
		p.text(pointer, value)
	}
}

// at is the pointer to a part of the connection.
func at(path ...string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var pointer strings.Builder
	pointer.WriteString("/connection_config")
	for _, part := range path {
		pointer.WriteString("/" + escape.Replace(part))
	}
	return pointer.String()
}

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
