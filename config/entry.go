package config

import (
	"fmt"
	"slices"
)

// urlMembers are the members of servers with a transport other than stdio.
var urlMembers = []string{"url", "serverUrl", "httpUrl"}

// knownMembers are the members of an entry that have a meaning here.
var knownMembers = slices.Concat(urlMembers, []string{"command", "args", "env", "cwd", "disabled", "type"})

// object is an entry that is being parsed.
type object struct {
	path   jsonPath
	offset int
	known  []member // in file order, including repeated ones
}

// firstMember returns the first member with that name.
func (o object) firstMember(name string) (member, bool) {
	i := slices.IndexFunc(o.known, func(m member) bool { return m.name == name })
	if i < 0 {
		return member{}, false
	}
	return o.known[i], true
}

// optionalMember is like firstMember, but null counts as absent.
func (o object) optionalMember(name string) (member, bool) {
	m, ok := o.firstMember(name)
	return m, ok && !m.isNull()
}

func (o object) isRepeated(name string) bool {
	count := 0
	for _, m := range o.known {
		if m.name == name {
			count++
		}
	}
	return count > 1
}

// parseEntry parses one server. ok is false if the entry cannot be expanded.
func (p *parser) parseEntry(path jsonPath, m member) (entry Entry, ok bool) {
	if len(p.only) > 0 && !slices.Contains(p.only, m.name) {
		return Entry{Key: m.name, LeftOut: true}, true
	}
	if m.kind() != "an object" {
		p.addKindProblem(path, m.value, "an object", `write {"command": "..."}`)
		return Entry{}, false
	}
	o := object{path: path, offset: m.at}
	for field := range m.members() {
		if slices.Contains(knownMembers, field.name) || p.remotes && field.name == "headers" {
			o.known = append(o.known, field)
		}
	}
	if isDisabled(o) {
		return Entry{Key: m.name, Disabled: true}, true
	}
	if p.remotes && slices.ContainsFunc(o.known, isOtherTransport) {
		return Entry{Key: m.name, Remote: p.parseRemote(o)}, true
	}
	if sign, ok := o.otherTransport(); ok {
		return Entry{Key: m.name, Unsupported: p.unsupportedTransport(o, sign)}, true
	}
	return p.parseStdio(m.name, o), true
}

// isDisabled returns false if "disabled" occurs twice, which is a problem of its own.
func isDisabled(o object) bool {
	disabled, _ := o.firstMember("disabled")
	return disabled.isTrue() && !o.isRepeated("disabled")
}

// otherTransport returns the member that shows that a server has another transport, as
// opposed to a stdio server with a wrong type.
func (o object) otherTransport() (sign member, ok bool) {
	i := slices.IndexFunc(o.known, isOtherTransport)
	if i < 0 {
		return member{}, false
	}
	if slices.ContainsFunc(o.known, isURL) {
		return o.known[i], true
	}
	_, local := o.optionalMember("command")
	name, _ := o.known[i].stringValue()
	return o.known[i], !local && slices.Contains(transports, name)
}

// unsupportedTransport returns the problem of a server with another transport. Its other
// problems do not matter then.
func (p *parser) unsupportedTransport(o object, m member) *Error {
	return p.doc.problemAt(InvalidSchema, o.path.member(m.name), m.at, fmt.Sprintf(
		"only stdio servers run here; serve this one with `mcp-aggregator serve --config %s`, "+
			`or write a "command" that starts a stdio bridge such as mcp-remote`, display(p.doc.name)))
}

func isOtherTransport(m member) bool {
	if m.name == "type" {
		transport, ok := m.stringValue()
		return ok && transport != "stdio"
	}
	return isURL(m)
}

func isURL(m member) bool { return slices.Contains(urlMembers, m.name) && !m.isNull() }

func (p *parser) parseStdio(key string, o object) Entry {
	once := p.uniqueNames("member", "remove one of them")
	for _, m := range o.known {
		once(o.path.member(m.name), m)
	}
	p.checkFlags(o)
	entry := Entry{Key: key}
	p.parseCommand(o, &entry)
	p.parseArgs(o, &entry)
	p.parseEnv(o, &entry)
	p.parseCwd(o, &entry)
	return entry
}

// checkFlags reports wrong types of "disabled" and "type", whose values have been used.
func (p *parser) checkFlags(o object) {
	if m, ok := o.optionalMember("disabled"); ok && m.kind() != "a boolean" {
		p.addKindProblem(o.path.member(m.name), m.value, "a boolean", "write true or false, without quotes")
	}
	if m, ok := o.optionalMember("type"); ok && m.kind() != "a string" {
		p.addKindProblem(o.path.member(m.name), m.value, "a string", `write "stdio", or leave "type" out`)
	} else if ok && isOtherTransport(m) {
		p.addProblem(o.path.member(m.name), m.at, `type of a server with a "command" is "stdio"; write that, or leave "type" out`)
	}
}

// parseRemote parses a server with another transport. "type" is sse, http or another name
// that clients use for streamable HTTP, which is the default.
func (p *parser) parseRemote(o object) *Remote {
	remote := &Remote{}
	once := p.uniqueNames("member", "remove one of them")
	for _, m := range o.known {
		once(o.path.member(m.name), m)
		switch m.name {
		case "type":
			transport, _ := p.parseText(o.path.member(m.name), m.value, quoteFix)
			remote.SSE = transport == "sse"
			p.checkTransport(o.path.member(m.name), m, transport)
		case "url", "serverUrl", "httpUrl":
			remote.URL, _ = p.parseText(o.path.member(m.name), m.value, quoteFix)
		case "headers":
			remote.Headers = p.parseHeaders(o.path.member(m.name), m)
		case "command":
			p.addProblem(o.path.member(m.name), m.at, `a server has either a "command" or a "url"; remove one of them`)
		}
	}
	if remote.URL == "" {
		p.addProblem(o.path.member("url"), o.offset, "url is missing; write the URL of the server")
	}
	return remote
}

// transports are the names that clients use for the transports over HTTP.
var transports = []string{"sse", "http", "streamable-http", "streamableHttp", "streamable_http"}

func (p *parser) checkTransport(path jsonPath, m member, name string) {
	if !slices.Contains(transports, name) {
		p.addProblem(path, m.at, `transport is unknown; write "sse" or "http", or leave it out for "http"`)
	}
}

func (p *parser) parseHeaders(path jsonPath, m member) (headers []Var) {
	if m.kind() != "an object" {
		p.addKindProblem(path, m.value, "an object of strings", `write "headers": {"Name": "value"}`)
		return nil
	}
	once := p.uniqueNames("header", "remove one of them")
	for v := range m.members() {
		once(path.member(v.name), v)
		text, _ := p.parseText(path.member(v.name), v.value, quoteFix)
		headers = append(headers, Var{Name: v.name, Value: text})
	}
	return headers
}
