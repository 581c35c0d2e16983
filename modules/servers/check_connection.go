package servers

import (
	"maps"
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
