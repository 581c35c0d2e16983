package doctor_test

import (
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/doctor"
)

func TestServersThatDidNotRun(t *testing.T) {
	const start = "error server_failed mcpServers.a: the server did not run: "
	tests := map[string]struct {
		failure doctor.Failure
		want    string
	}{
		"not on the PATH": {
			doctor.Failure{Reason: `command "npx" is not on its PATH: give its absolute path, or set PATH in the server's env`},
			`command "npx" is not on its PATH; give its absolute path, or set PATH in the server's env`,
		},
		"not to be started": {
			doctor.Failure{Reason: `cwd "/no" does not exist`},
			`cwd "/no" does not exist; correct that in the file`,
		},
		"ended at once": {
			doctor.Failure{Symptom: doctor.Ended, Reason: "the process ended", Exit: "exit status 1", Stderr: "Error:\n  TOKEN is not set\n"},
			"the process ended (exit status 1); the last line of its standard error: TOKEN is not set; run its command in a terminal",
		},
		"no answer": {
			doctor.Failure{Symptom: doctor.Silent, Reason: "it was not ready after 1m0s"},
			"it was not ready after 1m0s; run its command in a terminal: it may be waiting",
		},
		"another answer": {
			doctor.Failure{Symptom: doctor.Malformed, Reason: "tools/list: the result has no array of tools", Stderr: strings.Repeat("x", 300)},
			"tools/list: the result has no array of tools; the last line of its standard error: " + strings.Repeat("x", 200) + "...; it may not be an MCP server over stdio",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := doctor.Server{Key: "a", Place: "mcpServers.a", Failure: &test.failure}
			wantLines(t, doctor.Examine(doctor.Input{Servers: []doctor.Server{server}, Machine: emptyMachine}), start+test.want)
		})
	}
}

func TestPatternsThatMatchNothing(t *testing.T) {
	p := doctor.Input{Machine: emptyMachine, Patterns: []doctor.Pattern{{Flag: "--deny", Text: "a:\x1b"}}}
	wantLines(t, doctor.Examine(p), `warning pattern_unmatched --deny: the pattern "a:\x1b" matches no tool of the servers that run; compare it`)
}

func TestStartsThatMissTheFirstList(t *testing.T) {
	const (
		half   = " slow_start mcpServers.a: ready after more than half of the 10s that tools/list waits"
		longer = " slow_start mcpServers.a: ready after longer than the "
		list   = "10s that tools/list waits: its tools come with notifications/tools/list_changed"
	)
	tests := map[string]struct {
		ready  time.Duration
		client string
		want   []string
	}{
		"quick":                           {5 * time.Second, "", nil},
		"slow":                            {5100 * time.Millisecond, "", []string{"note" + half}},
		"too slow":                        {10100 * time.Millisecond, "", []string{"warning" + longer + list}},
		"late for all":                    {61 * time.Second, "", []string{"warning" + longer + list}},
		"late for another client":         {31 * time.Second, "claude-desktop", []string{"warning" + longer + list}},
		"in time for the client":          {9 * time.Second, "codex", []string{"note" + half}},
		"late if the client started it":   {11 * time.Second, "codex", []string{"warning" + longer + list, "note" + longer + "10s that Codex waits for a server that it starts itself; no action is needed"}},
		"late for a client of more limit": {61 * time.Second, "claude-code", []string{"warning" + longer + list, "note" + longer + "1m0s that Claude Code waits"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := doctor.Input{Machine: emptyMachine, Client: test.client, Wait: 10 * time.Second}
			p.Servers = []doctor.Server{{Key: "a", Place: "mcpServers.a", Running: true, Ready: test.ready}}
			wantLines(t, doctor.Examine(p), test.want...)
		})
	}
}

func TestSlowServersAreOneFinding(t *testing.T) {
	p := doctor.Input{Machine: emptyMachine, Wait: 10 * time.Second}
	for i, key := range []string{"a", "b", "c"} {
		p.Servers = append(p.Servers, doctor.Server{Key: key, Place: "mcpServers." + key, Running: true, Ready: time.Duration(20+i) * time.Second})
	}
	findings := doctor.Examine(p)
	wantLines(t, findings, "warning slow_start mcpServers.a: ready after longer than")
	if got := strings.Join(findings[0].Places, " "); got != "mcpServers.a mcpServers.b mcpServers.c" {
		t.Errorf("places: %s", got)
	}
}
