package config

import "strings"

const quoteIt = "put it in double quotes"

func (p *parser) command(o object, entry *Entry) {
	path := o.path.member("command")
	m, ok := o.member("command")
	if !ok {
		p.refuse(path, o.at, "command is missing; name the program that starts this server")
		return
	}
	entry.at.command = m.at
	entry.Command, ok = p.text(path, m.value, `name the program here, and its arguments in "args"`)
	if ok && isBlank(entry.Command) {
		p.refuse(path, m.at, "command is empty; name the program that starts this server")
	}
}

func (p *parser) args(o object, entry *Entry) {
	path := o.path.member("args")
	m, ok := o.member("args")
	if !ok {
		return
	}
	if m.kind() != "an array" {
		p.refuseKind(path, m.value, "an array of strings", `write "args": ["...", "..."]`)
		return
	}
	for item := range m.items() {
		text, _ := p.text(path.item(len(entry.Args)), item, quoteIt)
		entry.Args = append(entry.Args, text)
		entry.at.args = append(entry.at.args, item.at)
	}
}

func (p *parser) env(o object, entry *Entry) {
	path := o.path.member("env")
	m, ok := o.member("env")
	if !ok {
		return
	}
	if m.kind() != "an object" {
		p.refuseKind(path, m.value, "an object of strings", `write "env": {"NAME": "value"}`)
		return
	}
	once := p.once("variable", "remove one of them")
	for v := range m.members() {
		once(path.member(v.name), v)
		p.variableName(path.member(v.name), v)
		text, _ := p.text(path.member(v.name), v.value, quoteIt)
		entry.Env = append(entry.Env, Var{Name: v.name, Value: text})
		entry.at.env = append(entry.at.env, v.at)
	}
}

func (p *parser) variableName(path jsonPath, v member) {
	switch {
	case v.name == "":
		p.refuse(path, v.nameAt, "variable name is empty; name the variable or remove it")
	case strings.Contains(v.name, "="):
		p.refuse(path, v.nameAt, `variable name contains "="; remove it`)
	case hasNUL(v.name):
		p.refuse(path, v.nameAt, "variable name contains a NUL character; remove it")
	}
}

func (p *parser) cwd(o object, entry *Entry) {
	path := o.path.member("cwd")
	m, ok := o.optional("cwd")
	if !ok {
		return
	}
	text, ok := p.text(path, m.value, `write a folder in double quotes, or leave "cwd" out`)
	if !ok {
		return
	}
	entry.Cwd, entry.at.cwd = &text, m.at
	if text == "" {
		p.refuse(path, m.at, `folder is empty; name a folder, or leave "cwd" out`)
	}
}

// text returns a string that a process can be given.
func (p *parser) text(path jsonPath, v value, fix string) (text string, ok bool) {
	text, ok = v.text()
	if !ok {
		p.refuseKind(path, v, "a string", fix)
	}
	if hasNUL(text) {
		p.refuse(path, v.at, "value contains a NUL character; remove it")
	}
	return text, ok
}

func hasNUL(s string) bool { return strings.Contains(s, "\x00") }

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
