package config

import "strings"

const quoteFix = "put it in double quotes"

func (p *parser) parseCommand(o object, entry *Entry) {
	path := o.path.member("command")
	m, ok := o.firstMember("command")
	if !ok {
		p.addProblem(path, o.offset, "command is missing; name the program that starts this server")
		return
	}
	entry.at.command = m.at
	entry.Command, ok = p.parseText(path, m.value, `name the program here, and its arguments in "args"`)
	if ok && isBlank(entry.Command) {
		p.addProblem(path, m.at, "command is empty; name the program that starts this server")
	}
}

func (p *parser) parseArgs(o object, entry *Entry) {
	path := o.path.member("args")
	m, ok := o.firstMember("args")
	if !ok {
		return
	}
	if m.kind() != "an array" {
		p.addKindProblem(path, m.value, "an array of strings", `write "args": ["...", "..."]`)
		return
	}
	for item := range m.items() {
		text, _ := p.parseText(path.item(len(entry.Args)), item, quoteFix)
		entry.Args = append(entry.Args, text)
		entry.at.args = append(entry.at.args, item.at)
	}
}

func (p *parser) parseEnv(o object, entry *Entry) {
	path := o.path.member("env")
	m, ok := o.firstMember("env")
	if !ok {
		return
	}
	if m.kind() != "an object" {
		p.addKindProblem(path, m.value, "an object of strings", `write "env": {"NAME": "value"}`)
		return
	}
	once := p.uniqueNames("variable", "remove one of them")
	for v := range m.members() {
		once(path.member(v.name), v)
		p.checkVariableName(path.member(v.name), v)
		text, _ := p.parseText(path.member(v.name), v.value, quoteFix)
		entry.Env = append(entry.Env, Var{Name: v.name, Value: text})
		entry.at.env = append(entry.at.env, v.at)
	}
}

func (p *parser) checkVariableName(path jsonPath, v member) {
	switch {
	case v.name == "":
		p.addProblem(path, v.nameAt, "variable name is empty; name the variable or remove it")
	case strings.Contains(v.name, "="):
		p.addProblem(path, v.nameAt, `variable name contains "="; remove it`)
	case hasNUL(v.name):
		p.addProblem(path, v.nameAt, "variable name contains a NUL character; remove it")
	}
}

func (p *parser) parseCwd(o object, entry *Entry) {
	path := o.path.member("cwd")
	m, ok := o.optionalMember("cwd")
	if !ok {
		return
	}
	text, ok := p.parseText(path, m.value, `write a folder in double quotes, or leave "cwd" out`)
	if !ok {
		return
	}
	entry.Cwd, entry.at.cwd = &text, m.at
	if text == "" {
		p.addProblem(path, m.at, `folder is empty; name a folder, or leave "cwd" out`)
	}
}

// parseText returns a string that can be passed to a process.
func (p *parser) parseText(path jsonPath, v value, fix string) (text string, ok bool) {
	text, ok = v.stringValue()
	if !ok {
		p.addKindProblem(path, v, "a string", fix)
	}
	if hasNUL(text) {
		p.addProblem(path, v.at, "value contains a NUL character; remove it")
	}
	return text, ok
}

func hasNUL(s string) bool { return strings.Contains(s, "\x00") }

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
