package config

import "slices"

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
