package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parser collects the problems of one document.
type parser struct {
	doc      *document
	only     Only
	remotes  bool // also parse servers with other transports
	problems Errors
}

// parseDocument parses a document that is valid JSON. It returns an error only if no
// File can be returned.
func parseDocument(p *parser) (*File, *Error) {
	servers, problem := p.parseRoot()
	if problem != nil {
		return nil, problem
	}
	file := &File{doc: p.doc, Servers: p.parseServers(servers)}
	p.checkOnly(servers)
	file.Problems = p.problems.inFileOrder()
	return file, nil
}

// parseRoot returns the value of mcpServers.
func (p *parser) parseRoot() (value, *Error) {
	text := bytes.TrimLeft(p.doc.text, jsonSpace)
	root := value{raw: text, at: len(p.doc.text) - len(text)}
	if root.kind() != "an object" {
		return value{}, p.doc.problemAt(InvalidSchema, "", root.at,
			notA("an object", root)+`; write {"mcpServers": {...}}`)
	}
	servers, ok := p.findServers(root)
	if !ok {
		return value{}, p.doc.problemAt(InvalidSchema, serversPath, root.at, "member is missing; "+p.missingServersFix(root))
	}
	if servers.kind() != "an object" {
		return value{}, p.doc.problemAt(InvalidSchema, serversPath, servers.at,
			notA("an object", servers)+`; write {"mcpServers": {...}}`)
	}
	return servers, nil
}

func (p *parser) findServers(root value) (servers value, ok bool) {
	once := p.uniqueNames("member", "merge the two into one")
	for m := range root.members() {
		if m.name == string(serversPath) && once(serversPath, m) {
			servers, ok = m.value, true
		}
	}
	return servers, ok
}

// missingServersFix says how to fix a file without mcpServers. VS Code, for example, has
// the same object under another name.
func (p *parser) missingServersFix(root value) string {
	for m := range root.members() {
		if m.name == "servers" || strings.EqualFold(m.name, string(serversPath)) {
			return fmt.Sprintf(`rename %q (line %d) to "mcpServers"`, m.name, p.doc.lineAt(m.nameAt))
		}
	}
	return `write {"mcpServers": {...}}`
}

func (p *parser) parseServers(object value) (entries []Entry) {
	once := p.uniqueNames("server key", "rename or remove one of them")
	runs := false
	for m := range object.members() {
		path := serversPath.member(m.name)
		if m.name == "" {
			p.addProblem(path, m.nameAt, "server key is empty; give the server a name")
		}
		once(path, m)
		entry, ok := p.parseEntry(path, m)
		if ok {
			entries = append(entries, entry)
		}
		runs = runs || !ok || entry.runs() // an invalid entry will run once it is fixed
	}
	if !runs {
		p.reportUnsupported(entries)
	}
	return entries
}

// reportUnsupported reports the unsupported servers of a file that has no others.
func (p *parser) reportUnsupported(entries []Entry) {
	for _, entry := range entries {
		if entry.Unsupported != nil {
			p.problems = append(p.problems, entry.Unsupported)
		}
	}
}

// checkOnly reports keys of Only that no server has.
func (p *parser) checkOnly(servers value) {
	var keys, quoted []string
	for m := range servers.members() {
		keys, quoted = append(keys, m.name), append(quoted, strconv.Quote(m.name))
	}
	for _, key := range p.only {
		if !slices.Contains(keys, key) {
			p.problems = append(p.problems, p.doc.problemAt(UnknownServer, serversPath, servers.at,
				fmt.Sprintf("--only: there is no server %q; the servers are: %s", key, cmp.Or(strings.Join(quoted, ", "), "none"))))
		}
	}
}

// uniqueNames returns a function that reports whether it sees a name for the first time,
// and adds a problem if not.
func (p *parser) uniqueNames(noun, fix string) func(jsonPath, member) bool {
	first := make(map[string]int)
	return func(path jsonPath, m member) bool {
		at, repeated := first[m.name]
		if !repeated {
			first[m.name] = m.nameAt
			return true
		}
		p.addProblem(path, m.nameAt, fmt.Sprintf("%s occurs twice, on lines %d and %d; %s",
			noun, p.doc.lineAt(at), p.doc.lineAt(m.nameAt), fix))
		return false
	}
}

func (p *parser) addProblem(path jsonPath, at int, message string) {
	p.problems = append(p.problems, p.doc.problemAt(InvalidSchema, path, at, message))
}

func (p *parser) addKindProblem(path jsonPath, v value, wanted, fix string) {
	p.addProblem(path, v.at, notA(wanted, v)+"; "+fix)
}

func notA(wanted string, v value) string {
	return fmt.Sprintf("value is %s, not %s", v.kind(), wanted)
}
