package doctor

import "strings"

// checkFailure tells of a server that does not run, and what to look at first.
func checkFailure(s Server) []Finding {
	if s.Failure == nil {
		return nil
	}
	what := s.Failure.Reason
	fix := fixes[s.Failure.Symptom]
	if said, how, ok := strings.Cut(what, ": give "); ok && s.Failure.Symptom == Unstarted { // it says how itself
		what, fix = said, "give "+how
	}
	if s.Failure.Exit != "" {
		what += " (" + s.Failure.Exit + ")"
	}
	if line := lastLine(s.Failure.Stderr); line != "" {
		what += "; the last line of its standard error: " + shortenedTo(maxLastLine, line)
	}
	return []Finding{{
		Kind: ServerFailed, Severity: Error, Where: s.Place,
		What: "the server did not run: " + what, Fix: fix,
	}}
}

// maxLastLine is how much of a server's last line is shown, in bytes: enough for an
// error with a path in it.
const maxLastLine = 200

// fixes by what the failure looks like.
var fixes = map[Symptom]string{
	Unstarted: `correct that in the file; "command" and "cwd" are best absolute paths`,
	Ended:     "run its command in a terminal and look at what it prints: most often a token, a package or an argument is missing",
	Silent:    "run its command in a terminal: it may be waiting for something, such as a login, or may not be an MCP server over stdio",
	Malformed: "it may not be an MCP server over stdio; if it is, tell its author",
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
