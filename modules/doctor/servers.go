package doctor

import (
	"fmt"
	"strings"
	"time"

	"mcp-aggregator/config/clienttable"
)

// checkFailure reports a server that does not run.
func checkFailure(s Server) []Finding {
	if s.Failure == nil {
		return nil
	}
	what := s.Failure.Reason
	fix := fixBySymptom[s.Failure.Symptom]
	if said, how, ok := strings.Cut(what, ": give "); ok && s.Failure.Symptom == NotStarted { // the reason has the fix
		what, fix = said, "give "+how
	}
	if s.Failure.Exit != "" {
		what += " (" + s.Failure.Exit + ")"
	}
	if line := lastLine(s.Failure.Stderr); line != "" {
		what += "; the last line of its standard error: " + shortenTo(maxLastLine, line)
	}
	return []Finding{{
		Kind: ServerFailed, Severity: Error, Where: s.Place,
		What: "the server did not run: " + what, Fix: fix,
	}}
}

// maxLastLine is how much of a server's last line is shown, in bytes: enough for an error
// with a path.
const maxLastLine = 200

// fixBySymptom has the fixes by symptom.
var fixBySymptom = map[Symptom]string{
	NotStarted: `correct that in the file; "command" and "cwd" are best absolute paths`,
	Ended:      "run its command in a terminal and look at what it prints: most often a token, a package or an argument is missing",
	Silent:     "run its command in a terminal: it may be waiting for something, such as a login, or may not be an MCP server over stdio",
	Malformed:  "it may not be an MCP server over stdio; if it is, tell its author",
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// checkStart reports a server whose tools miss the first tools/list, or nearly do. The
// client itself does not wait, because the aggregator answers initialize at once. The
// duration is left out, so that several servers are one finding; the report has it.
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
			Fix:  noAction + ": behind the aggregator, which answers at once, only its tools come late",
		})
	}
	return findings
}

// checkEmpty reports a file without servers.
func checkEmpty(empty bool) []Finding {
	if !empty {
		return nil
	}
	return []Finding{{
		Kind: NoServers, Severity: Warning, Where: "mcpServers", What: "there is no server in the file",
		Fix: "write one into it, or take over those of your clients with: mcp-simple-aggregator import",
	}}
}

// checkPatterns reports patterns that match nothing, such as misspelled ones.
func checkPatterns(patterns []Pattern) (findings []Finding) {
	for _, p := range patterns {
		findings = append(findings, Finding{
			Kind: PatternUnmatched, Severity: Warning, Where: p.Flag,
			What: fmt.Sprintf("the pattern %q matches no tool of the servers that run", p.Text),
			Fix:  "compare it with the names below, KEY:TOOL; * stands for any characters",
		})
	}
	return findings
}
