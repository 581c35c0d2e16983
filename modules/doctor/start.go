package doctor

import (
	"fmt"
	"time"
)

// deadline is how long a client waits for a server that it starts itself.
type deadline struct {
	client string
	limit  time.Duration
	source string
}

// deadlines are those that somebody has met.
var deadlines = []deadline{
	{"claude-desktop", 60 * time.Second, "DEFAULT_REQUEST_TIMEOUT_MSEC of @modelcontextprotocol/sdk, for initialize"},
	{"claude-code", 60 * time.Second, "the same, github.com/anthropics/claude-code/issues/43299"},
	{"codex", 10 * time.Second, "the default of startup_timeout_sec, github.com/openai/codex/issues/11851"},
}

// checkStart tells of a server whose tools miss the first tools/list, or nearly
// do. No client is late for it: the aggregator answers initialize at once. How
// long it took stands in the report: left out here, several servers are one finding.
func checkStart(s Server, wait time.Duration, client string) (findings []Finding) {
	slow := Finding{
		Kind: SlowStart, Where: s.Place,
		Mend: "install the package instead of having npx or uvx download it at each start; if the client shows none of its tools, have it read the list again",
	}
	switch {
	case s.Running && s.Ready > wait:
		slow.Severity = Warning
		slow.What = fmt.Sprintf("ready after longer than the %v that tools/list waits: its tools come with notifications/tools/list_changed, which some clients ignore", wait)
		findings = append(findings, slow)
	case s.Running && s.Ready > wait/2:
		slow.Severity = Note
		slow.What = fmt.Sprintf("ready after more than half of the %v that tools/list waits: on a slower day its tools come late", wait)
		findings = append(findings, slow)
	}
	for _, d := range deadlines {
		if s.Running && d.client == client && s.Ready > d.limit {
			findings = append(findings, Finding{
				Kind: SlowStart, Severity: Note, Where: s.Place, Clients: []string{client},
				What: fmt.Sprintf("ready after longer than the %v that %s waits for a server that it starts itself", d.limit, titles[client]),
				Mend: nothing + ": behind the aggregator, which answers at once, only its tools come late",
			})
		}
	}
	return findings
}
