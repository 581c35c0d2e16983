package main_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

func (p *process) send(line string) {
	p.t.Helper()
	_, err := p.stdin.WriteString(line + "\n")
	noError(p.t, err)
}

func (p *process) next() string {
	p.t.Helper()
	line, err := p.lines.ReadLine()
	if err != nil {
		p.t.Fatalf("no line: %v; standard error:\n%s", err, p.stderr.String())
	}
	return string(line)
}

// expect wants that line next.
func (p *process) expect(want string) {
	p.t.Helper()
	if got := p.next(); got != want {
		p.t.Fatalf("got %.2000s, want %s; standard error:\n%s", got, want, p.stderr.String())
	}
}

// expectAll wants these lines next, each of them once, in any order.
func (p *process) expectAll(lines map[string]int) {
	p.t.Helper()
	for range len(lines) {
		lines[p.next()]--
	}
	for line, left := range lines {
		if left != 0 {
			p.t.Errorf("%d too few: %s", left, line)
		}
	}
}

// ask sends a request and wants that answer.
func (p *process) ask(request, want string) {
	p.t.Helper()
	p.send(request)
	p.expect(want)
}

// offered are the definitions of a fakechild's tools as the client sees them.
func offered(key string, tools ...string) string {
	return `{"name":"` + key + ":" + strings.Join(tools, `"},{"name":"`+key+":") + `"}`
}

// echoOf is the definition of the only tool of a fakechild that offers nothing else.
func echoOf(key string) string {
	return `{"name":"` + key + `:echo","inputSchema":{"type":"object"}}`
}

// calling is a call of a tool, its public name.
func calling(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

// result is an answer.
func result(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// pid returns the process of a server that offers it.
func (p *process) pid(key string) int {
	p.t.Helper()
	p.send(calling(0, key+":pid"))
	var answer struct{ Result struct{ Is int } }
	noError(p.t, json.Unmarshal([]byte(p.next()), &answer))
	return answer.Result.Is
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listTools   = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

// open opens the session.
func (p *process) open() {
	p.t.Helper()
	p.send(initialize)
	p.next()
	p.send(initialized)
}

// lists waits for a list that holds, for servers may come late.
func (p *process) lists(holds func(list string) bool) {
	p.t.Helper()
	for {
		p.send(listTools)
		if holds(p.next()) {
			return
		}
		p.expect(listChanged)
	}
}

// greet opens the session and waits until the servers have settled.
func (p *process) greet(tools string) {
	p.t.Helper()
	p.open()
	p.ask(listTools, `{"jsonrpc":"2.0","id":2,"result":{"tools":[`+tools+`]}}`)
}

// ping waits until everything that was sent before has been taken in.
func (p *process) ping() {
	p.t.Helper()
	p.ask(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`, `{"jsonrpc":"2.0","id":"ping","result":{}}`)
}
