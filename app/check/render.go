package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mcp-aggregator/modules/doctor"
)

// Print writes the report for a person. A screen that has a width gets nothing
// wider; one without gets one line for each server, finding and tool.
func (r Report) Print(w io.Writer, s Screen) error {
	var out strings.Builder
	out.WriteString(r.serverTable(s))
	if len(r.Tools) > 0 {
		fmt.Fprintf(&out, "\n%s\n", strings.Join(wrap(r.tokenLine(), s.Width), "\n"))
	}
	if len(r.Findings) > 0 {
		out.WriteString(s.heading("findings") + r.findingTable(s))
	}
	out.WriteString(s.heading(count(len(r.Tools), "tool")) + r.toolList(s))
	r.writeRest(&out, s)
	_, err := io.WriteString(w, out.String())
	return err
}

func (r Report) serverTable(s Screen) string {
	g := grid{rows: [][]string{{"SERVER", "STATUS", "TOOLS", "TOKENS", "READY"}}}
	for _, server := range r.Servers {
		g.rows = append(g.rows, []string{
			quoted(server.Name), string(server.Status), strconv.Itoa(server.Tools), strconv.Itoa(server.Tokens), server.ready(),
		})
	}
	g.colour = func(row, column int) style {
		switch {
		case row == 0:
			return bold
		case column == 1:
			return stateColours[r.Servers[row-1].Status]
		}
		return ""
	}
	return s.table(g) // why a server failed is among the findings
}

// tokenLine says what all tools cost, and which cost most.
func (r Report) tokenLine() string {
	var biggest []string
	for _, size := range r.Biggest {
		biggest = append(biggest, fmt.Sprintf("%s %d", quoted(size.Name), size.Tokens))
	}
	return fmt.Sprintf("about %d tokens (estimated as bytes of JSON / 4); the biggest tools: %s", r.Tokens, strings.Join(biggest, ", "))
}

func (r Report) findingTable(s Screen) string {
	g := grid{indent: "  "}
	var severities []doctor.Severity
	more := 0
	for _, f := range r.Findings {
		if f.Informational() && r.Client == "" {
			more++
			continue
		}
		g.rows = append(g.rows, []string{string(f.Severity), findingLine(f)})
		severities = append(severities, f.Severity)
	}
	if more > 0 {
		g.rows = append(g.rows, []string{string(doctor.Note), "no action is needed for " + count(more, "more note") + ": --client CLIENT or --json shows them"})
		severities = append(severities, doctor.Note)
	}
	g.colour = func(row, column int) style {
		if column == 0 {
			return severityColours[severities[row]]
		}
		return ""
	}
	return s.table(g)
}

// toolList has the canonical names, and beside each the one that the client
// sees, if check judges for one.
func (r Report) toolList(s Screen) string {
	if len(r.Tools) == 0 {
		return ""
	}
	g := grid{indent: "  ", colour: func(int, int) style { return "" }}
	for i, name := range r.Tools {
		row := []string{quoted(name)}
		if r.Names != nil {
			row = append(row, quoted(r.Names[i].Name))
		}
		g.rows = append(g.rows, row)
	}
	return s.table(g)
}

// findingLine is where, what and fix, in the order of the errors of a
// configuration.
func findingLine(f doctor.Finding) string {
	where := printable(cut(f.Where, maxPlace))
	if more := max(len(f.Tools), len(f.Places)) - 1; more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	return where + ": " + printable(f.What) + "; " + printable(f.Fix)
}

func (s ServerReport) ready() string {
	if s.ReadyMs == nil {
		return "-"
	}
	return (time.Duration(*s.ReadyMs) * time.Millisecond).String()
}

// What bounds the names that a person is shown, and the places of findings, in
// bytes.
const (
	maxShown = 300
	maxPlace = 120
)

// quoted returns text as it is when nothing in it can act on a terminal, and no
// more of it than a person would read.
func quoted(text string) string { return printable(cut(text, maxShown)) }

// printable returns text as it is when nothing in it can act on a terminal.
func printable(text string) string {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
