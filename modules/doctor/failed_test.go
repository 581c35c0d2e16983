package doctor_test

import (
	"strings"
	"testing"

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
			wantLines(t, doctor.Examine(doctor.Input{Servers: []doctor.Server{server}, Machine: nothing}), start+test.want)
		})
	}
}

func TestPatternsThatMatchNothing(t *testing.T) {
	p := doctor.Input{Machine: nothing, Patterns: []doctor.Pattern{{Flag: "--deny", Text: "a:\x1b"}}}
	wantLines(t, doctor.Examine(p), `warning pattern_unmatched --deny: the pattern "a:\x1b" matches no tool of the servers that run; compare it`)
}
