package doctor

import (
	"fmt"
	"time"

	"mcp-aggregator/config/clienttable"
)

// checkStart tells of a server whose tools miss the first tools/list, or nearly
// do. No client is late for it: the aggregator answers initialize at once. How
// long it took stands in the report: left out here, several servers are one finding.
func checkStart(s Server, wait time.Duration, client string) (findings []Finding) {
	slow := Finding{
		Kind: SlowStart, Where: s.Place,
		Fix: "install the package instead of having npx or uvx download it at each start; if the client shows none of its tools, have it read the list again",
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
	if own, ok := clienttable.Find(client); ok && own.Limits.StartTime > 0 && s.Running && s.Ready > own.Limits.StartTime {
		findings = append(findings, Finding{
			Kind: SlowStart, Severity: Note, Where: s.Place, Clients: []string{client},
			What: fmt.Sprintf("ready after longer than the %v that %s waits for a server that it starts itself", own.Limits.StartTime, own.Title),
			Fix:  nothing + ": behind the aggregator, which answers at once, only its tools come late",
		})
	}
	return findings
}
