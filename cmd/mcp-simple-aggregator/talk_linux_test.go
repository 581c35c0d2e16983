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

// expect fails the test unless the next line is want.
func (p *process) expect(want string) {
	p.t.Helper()
	if got := p.next(); got != want {
		p.t.Fatalf("got %.2000s, want %s; standard error:\n%s", got, want, p.stderr.String())
	}
}

// expectAll fails the test unless these lines are next, each once, in any order.
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

// request sends a request and fails the test unless want is the response.
func (p *process) request(request, want string) {
	p.t.Helper()
	p.send(request)
	p.expect(want)
}

// offered returns the definitions of a fakechild's tools as the client sees them.
func offered(key string, tools ...string) string {
	return `{"name":"` + key + ":" + strings.Join(tools, `"},{"name":"`+key+":") + `"}`
}

// echoOf returns the definition of a fakechild's default tool.
func echoOf(key string) string {
	return `{"name":"` + key + `:echo","inputSchema":{"type":"object"}}`
}

// callOf returns a call of the tool with that public name.
func callOf(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

// result returns a response.
func result(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// pid returns the process id that a server's tool reports.
func (p *process) pid(key string) int {
	p.t.Helper()
	p.send(callOf(0, key+":pid"))
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

// awaitList lists the tools until holds is true, because servers may become ready late.
func (p *process) awaitList(holds func(list string) bool) {
	p.t.Helper()
	for {
		p.send(listTools)
		if holds(p.next()) {
			return
		}
		p.expect(listChanged)
	}
}

// openReady opens the session and waits until the servers have settled.
func (p *process) openReady(tools string) {
	p.t.Helper()
	p.open()
	p.request(listTools, `{"jsonrpc":"2.0","id":2,"result":{"tools":[`+tools+`]}}`)
}

// ping waits until everything that was sent before has been read.
func (p *process) ping() {
	p.t.Helper()
	p.request(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`, `{"jsonrpc":"2.0","id":"ping","result":{}}`)
}
