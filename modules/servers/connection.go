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

// headerPattern matches a token (RFC 9110, section 5.6.2).
var headerPattern = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// controlProblem is the problem of a text with control characters.
const controlProblem = "holds a line break or a NUL character: leave it out"

// checkConnection checks that c fits the transport.
func (p *validator) checkConnection(transport Transport, c Connection) {
	if transport == Stdio {
		p.checkStdio(c)
		p.rejectForeign(transport, map[string]bool{"url": c.URL != "", "headers": len(c.Headers) > 0})
		return
	}
	p.checkRemote(transport, c)
	p.rejectForeign(transport, map[string]bool{
		"command": c.Command != "", "args": len(c.Args) > 0, "env": len(c.Env) > 0, "cwd": c.Cwd != "",
	})
}

// rejectForeign reports members that belong to another transport.
func (p *validator) rejectForeign(transport Transport, given map[string]bool) {
	for _, member := range slices.Sorted(maps.Keys(given)) {
		if given[member] {
			p.addProblem(connectionPointer(member), "is not for %s: leave it out, or change transport_type", transport)
		}
	}
}

func (p *validator) checkStdio(c Connection) {
	if c.Command == "" {
		p.addProblem(connectionPointer("command"), "is missing: %s needs the program to run", Stdio)
	}
	p.checkText(connectionPointer("command"), c.Command)
	for i, arg := range c.Args {
		p.checkText(connectionPointer("args", strconv.Itoa(i)), arg)
	}
	for _, variable := range slices.Sorted(maps.Keys(c.Env)) {
		p.checkVariable(connectionPointer("env", variable), variable, c.Env[variable])
	}
	p.checkText(connectionPointer("cwd"), c.Cwd)
	if c.Cwd != "" && !filepath.IsAbs(c.Cwd) && !startsWithReference(c.Cwd) {
		p.addProblem(connectionPointer("cwd"), "is a relative path: give an absolute one")
	}
}

// checkText checks an argument of a program, which cannot hold a NUL.
func (p *validator) checkText(pointer, text string) {
	switch {
	case strings.ContainsRune(text, 0):
		p.addProblem(pointer, "holds a NUL character: leave it out")
	case strings.Contains(text, Redacted):
		p.addProblem(pointer, "holds %s, which stands for a secret that is not shown: give the secret", Redacted)
	}
}

func (p *validator) checkVariable(pointer, variable, value string) {
	if variable == "" || strings.ContainsAny(variable, "=\x00\r\n") {
		p.addProblem(pointer, "is not a valid variable name: it is empty, or holds =, a line break or a NUL character")
	}
	p.checkText(pointer, value)
}

func (p *validator) checkRemote(transport Transport, c Connection) {
	if c.URL == "" {
		p.addProblem(connectionPointer("url"), "is missing: %s needs the address of the server", transport)
	} else {
		p.checkURL(connectionPointer("url"), c.URL)
	}
	seen := map[string]bool{}
	for _, header := range slices.Sorted(maps.Keys(c.Headers)) {
		p.checkHeader(connectionPointer("headers", header), header, c.Headers[header])
		folded := strings.ToLower(header)
		if seen[folded] {
			p.addProblem(connectionPointer("headers", header), "appears twice: header names are case-insensitive, so remove one")
		}
		seen[folded] = true
	}
}

func (p *validator) checkHeader(pointer, header, value string) {
	if !headerPattern.MatchString(header) {
		p.addProblem(pointer, "is not a valid header name: use letters, digits and -")
	}
	switch {
	case strings.ContainsAny(value, "\x00\r\n"):
		p.addProblem(pointer, controlProblem)
	default:
		p.checkText(pointer, value)
	}
}

// connectionPointer returns the JSON pointer to a part of the connection.
func connectionPointer(path ...string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var pointer strings.Builder
	pointer.WriteString("/connection_config")
	for _, part := range path {
		pointer.WriteString("/" + escape.Replace(part))
	}
	return pointer.String()
}

// referencePattern matches a variable reference, which is expanded when the server is
// connected.
var referencePattern = regexp.MustCompile(`\$(?:[A-Z_][A-Z0-9_]*|\{[^}]+\})`)

// startsWithReference reports whether the beginning of text is not known before expansion.
func startsWithReference(text string) bool {
	at := referencePattern.FindStringIndex(text)
	return at != nil && at[0] == 0
}

// checkURL checks an HTTP URL, as far as is possible before its references are expanded.
func (p *validator) checkURL(pointer, text string) {
	if strings.ContainsAny(text, "\x00\r\n") {
		p.addProblem(pointer, controlProblem)
		return
	}
	if strings.Contains(text, Redacted) {
		p.checkText(pointer, text)
		return
	}
	if why := urlProblem(text); why != "" && !startsWithReference(text) {
		p.addProblem(pointer, "%s", why)
	}
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// urlProblem says what is wrong with a URL. It does not quote the URL, which may be
// secret.
func urlProblem(text string) string {
	// A digit is valid wherever a reference is, even as a port.
	u, err := url.Parse(referencePattern.ReplaceAllString(text, "1"))
	switch {
	case err != nil:
		return "is not a URL: use one like https://example.com/mcp"
	case u.Scheme != "http" && u.Scheme != "https":
		return "is not an HTTP URL: begin it with https:// or http://"
	case u.Hostname() == "":
		return "has no host: use a URL like https://example.com/mcp"
	case u.Port() != "" && !isPort(u.Port()):
		return "has an invalid port: use one from 1 to 65535"
	case u.Fragment != "":
		return "has a fragment, which is never sent: remove # and what follows"
	case u.User != nil:
		return "holds a user or a password: put them into headers, best as ${NAME}"
	default:
		return ""
	}
}
