package doctor_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/doctor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tool is a tool of server a.
func tool(own, members string) doctor.Tool { return toolOf("a", own, members) }

func toolOf(server, own, members string) doctor.Tool {
	name, _ := json.Marshal(own)
	if members != "" {
		members = "," + members
	}
	return doctor.Tool{
		Name: server + ":" + own, Server: server, OriginalName: own,
		Definition: fmt.Appendf(nil, `{"name":%s%s}`, name, members),
	}
}

// good is a schema that nobody minds.
const good = `"inputSchema":{"type":"object","properties":{}}`

// servers returns an input with the tools, by the servers that they name.
func servers(tools ...doctor.Tool) doctor.Input {
	p := doctor.Input{Machine: emptyMachine}
	byKey := make(map[string][]doctor.Tool)
	for _, tool := range tools {
		byKey[tool.Server] = append(byKey[tool.Server], tool)
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		p.Servers = append(p.Servers, doctor.Server{Key: key, Place: "mcpServers." + key, Running: true, Tools: byKey[key]})
	}
	return p
}

// noAction is a machine without programs.
var emptyMachine = doctor.Machine{
	LookPath:    func(string, string) string { return "" },
	Interpreter: func(string) string { return "" },
}

// lines are findings as people read them.
func lines(findings []doctor.Finding) (list []string) {
	for _, f := range findings {
		list = append(list, fmt.Sprintf("%s %s %s: %s; %s", f.Severity, f.Kind, f.Where, f.What, f.Fix))
	}
	return list
}

// wantLines compares findings with what is to be found, whose beginnings will do.
func wantLines(t *testing.T, findings []doctor.Finding, want ...string) {
	t.Helper()
	got := lines(findings)
	same := slices.EqualFunc(got, want, strings.HasPrefix)
	if !same {
		t.Errorf("got\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(want, "\n "))
	}
}
