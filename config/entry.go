package config

import (
	"fmt"
	"slices"
)

// urlMembers are the members that stand for another transport than stdio.
var urlMembers = []string{"url", "serverUrl", "httpUrl"}

// knownMembers are the members of an entry that mean something here.
var knownMembers = slices.Concat(urlMembers, []string{"command", "args", "env", "cwd", "disabled", "type"})

// object is an entry that is being read.
type object struct {
	path  jsonPath
	at    int
	known []member // in file order, repeated ones too
}

// member returns the first member of that name.
func (o object) member(name string) (member, bool) {
	i := slices.IndexFunc(o.known, func(m member) bool { return m.name == name })
	if i < 0 {
		return member{}, false
	}
	return o.known[i], true
}

// optional is like member for one that may be null instead of absent.
func (o object) optional(name string) (member, bool) {
	m, ok := o.member(name)
	return m, ok && !m.isNull()
}

func (o object) repeats(name string) bool {
	count := 0
	for _, m := range o.known {
		if m.name == name {
			count++
		}
	}
	return count > 1
}

// entry reads one server; not ok if there is nothing to expand in it.
func (p *parser) entry(path jsonPath, m member) (entry Entry, ok bool) {
	if len(p.only) > 0 && !slices.Contains(p.only, m.name) {
		return Entry{Key: m.name, LeftOut: true}, true
	}
	if m.kind() != "an object" {
		p.refuseKind(path, m.value, "an object", `write {"command": "..."}`)
		return Entry{}, false
	}
	o := object{path: path, at: m.at}
	for field := range m.members() {
		if slices.Contains(knownMembers, field.name) || p.remotes && field.name == "headers" {
			o.known = append(o.known, field)
		}
	}
	if isDisabled(o) {
		return Entry{Key: m.name, Disabled: true}, true
	}
	if p.remotes && slices.ContainsFunc(o.known, isOtherTransport) {
		return Entry{Key: m.name, Remote: p.remote(o)}, true
	}
	if sign, ok := o.otherTransport(); ok {
		return Entry{Key: m.name, Unsupported: p.unsupported(o, sign)}, true
	}
	return p.stdioEntry(m.name, o), true
}

// isDisabled takes no side if "disabled" stands twice.
func isDisabled(o object) bool {
	disabled, _ := o.member("disabled")
	return disabled.isTrue() && !o.repeats("disabled")
}

// otherTransport returns the member that tells a server of another transport from
// one whose type is wrong.
func (o object) otherTransport() (sign member, ok bool) {
	i := slices.IndexFunc(o.known, isOtherTransport)
	if i < 0 {
		return member{}, false
	}
	if slices.ContainsFunc(o.known, isURL) {
		return o.known[i], true
	}
	_, local := o.optional("command")
	name, _ := o.known[i].text()
	return o.known[i], !local && slices.Contains(transports, name)
}

// unsupported says where a server of another transport works: what else is wrong
// with it does not matter then.
func (p *parser) unsupported(o object, m member) *Error {
	return p.doc.problem(InvalidSchema, o.path.member(m.name), m.at, fmt.Sprintf(
		"only stdio servers run here; serve this one with `mcp-aggregator serve --config %s`, "+
			`or write a "command" that starts a stdio bridge such as mcp-remote`, display(p.doc.name)))
}

func isOtherTransport(m member) bool {
	if m.name == "type" {
		transport, ok := m.text()
		return ok && transport != "stdio"
	}
	return isURL(m)
}

func isURL(m member) bool { return slices.Contains(urlMembers, m.name) && !m.isNull() }

func (p *parser) stdioEntry(key string, o object) Entry {
	once := p.once("member", "remove one of them")
	for _, m := range o.known {
		once(o.path.member(m.name), m)
	}
	p.checkFlags(o)
	entry := Entry{Key: key}
	p.command(o, &entry)
	p.args(o, &entry)
	p.env(o, &entry)
	p.cwd(o, &entry)
	return entry
}

// checkFlags refuses wrong types of members that are otherwise done with.
func (p *parser) checkFlags(o object) {
	if m, ok := o.optional("disabled"); ok && m.kind() != "a boolean" {
		p.refuseKind(o.path.member(m.name), m.value, "a boolean", "write true or false, without quotes")
	}
	if m, ok := o.optional("type"); ok && m.kind() != "a string" {
		p.refuseKind(o.path.member(m.name), m.value, "a string", `write "stdio", or leave "type" out`)
	} else if ok && isOtherTransport(m) {
		p.refuse(o.path.member(m.name), m.at, `type of a server with a "command" is "stdio"; write that, or leave "type" out`)
	}
}

// remote reads a server of another transport: "type" is sse, http or one of the
// names that clients have for streamable HTTP, which is meant where there is none.
func (p *parser) remote(o object) *Remote {
	remote := &Remote{}
	once := p.once("member", "remove one of them")
	for _, m := range o.known {
		once(o.path.member(m.name), m)
		switch m.name {
		case "type":
			transport, _ := p.text(o.path.member(m.name), m.value, quoteIt)
			remote.SSE = transport == "sse"
			p.transport(o.path.member(m.name), m, transport)
		case "url", "serverUrl", "httpUrl":
			remote.URL, _ = p.text(o.path.member(m.name), m.value, quoteIt)
		case "headers":
			remote.Headers = p.headers(o.path.member(m.name), m)
		case "command":
			p.refuse(o.path.member(m.name), m.at, `a server has either a "command" or a "url"; remove one of them`)
		}
	}
	if remote.URL == "" {
		p.refuse(o.path.member("url"), o.at, "url is missing; write where the server is reached")
	}
	return remote
}

// transports are the names that clients have for those over HTTP.
var transports = []string{"sse", "http", "streamable-http", "streamableHttp", "streamable_http"}

func (p *parser) transport(path jsonPath, m member, name string) {
	if !slices.Contains(transports, name) {
		p.refuse(path, m.at, `transport is unknown; write "sse" or "http", or leave it out for "http"`)
	}
}

func (p *parser) headers(path jsonPath, m member) (headers []Var) {
	if m.kind() != "an object" {
		p.refuseKind(path, m.value, "an object of strings", `write "headers": {"Name": "value"}`)
		return nil
	}
	once := p.once("header", "remove one of them")
	for v := range m.members() {
		once(path.member(v.name), v)
		text, _ := p.text(path.member(v.name), v.value, quoteIt)
		headers = append(headers, Var{Name: v.name, Value: text})
	}
	return headers
}
