package check

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/modules/doctor"
)

// Print writes the report for a person. On a screen with a width no line is longer; on
// one without each server, finding and tool is one line.
func (r Report) Print(w io.Writer, s Screen) error {
	var out strings.Builder
	out.WriteString(r.serverTable(s))
	if len(r.Tools) > 0 {
		fmt.Fprintf(&out, "\n%s\n", strings.Join(wrap(r.tokenLine(), s.Width), "\n"))
	}
	if r.Lean != nil {
		fmt.Fprintf(&out, "with --lean the client's list has %s, about %s\n", count(r.Lean.Tools, "tool"), count(r.Lean.Tokens, "token"))
	}
	if len(r.Findings) > 0 {
		out.WriteString(s.heading("findings") + r.findingTable(s))
	}
	out.WriteString(s.heading(count(len(r.Tools), "tool")) + r.toolList(s))
	r.writeExcluded(&out, s)
	_, err := io.WriteString(w, out.String())
	return err
}

func (r Report) serverTable(s Screen) string {
	g := grid{rows: [][]string{{"SERVER", "STATUS", "TOOLS", "TOKENS", "READY"}}}
	for _, server := range r.Servers {
		g.rows = append(g.rows, []string{
			cli.Quote(server.Name), string(server.Status), strconv.Itoa(server.Tools), strconv.Itoa(server.Tokens), server.ready(),
		})
	}
	g.color = func(row, column int) style {
		switch {
		case row == 0:
			return bold
		case column == 1:
			return stateColors[r.Servers[row-1].Status]
		}
		return ""
	}
	return s.table(g) // the findings say why a server failed
}

// tokenLine gives the tokens of all tools, and the biggest of them.
func (r Report) tokenLine() string {
	var biggest []string
	for _, size := range r.Biggest {
		biggest = append(biggest, fmt.Sprintf("%s %d", cli.Quote(size.Name), size.Tokens))
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
	g.color = func(row, column int) style {
		if column == 0 {
			return severityColors[severities[row]]
		}
		return ""
	}
	return s.table(g)
}

// toolList has the canonical names, and beside each the name that the client sees if
// check judges for one.
func (r Report) toolList(s Screen) string {
	if len(r.Tools) == 0 {
		return ""
	}
	g := grid{indent: "  ", color: func(int, int) style { return "" }}
	for i, name := range r.Tools {
		row := []string{cli.Quote(name)}
		if r.Names != nil {
			row = append(row, cli.Quote(r.Names[i].Name))
		}
		g.rows = append(g.rows, row)
	}
	return s.table(g)
}

// maxPlace is how many bytes of the place of a finding are printed.
const maxPlace = 120

// findingLine returns place, problem and fix, in the order of configuration errors.
func findingLine(f doctor.Finding) string {
	where := cli.Printable(cli.Truncate(f.Where, maxPlace))
	if more := max(len(f.Tools), len(f.Places)) - 1; more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	return where + ": " + cli.Printable(f.What) + "; " + cli.Printable(f.Fix)
}

func (s ServerReport) ready() string {
	if s.ReadyMs == nil {
		return "-"
	}
	return (time.Duration(*s.ReadyMs) * time.Millisecond).String()
}

// writeExcluded lists the patterns, the tools they hide, and the servers that were not
// started.
func (r Report) writeExcluded(out *strings.Builder, s Screen) {
	if patterns := r.patterns(); len(patterns) > 0 {
		out.WriteString(s.heading("tools chosen by") + s.list(patterns))
	}
	if len(r.Hidden) > 0 {
		out.WriteString(s.heading(fmt.Sprintf("%d hidden by --allow or --deny", len(r.Hidden))) + s.list(r.Hidden))
	}
	if len(r.Skipped) > 0 {
		out.WriteString(s.heading(fmt.Sprintf("%d not started: disabled, not in --only, or not of stdio", len(r.Skipped))) + s.list(r.Skipped))
	}
}

// patterns returns the patterns of the command line, each behind its flag.
func (r Report) patterns() (list []string) {
	for _, pattern := range r.Allow {
		list = append(list, "--allow "+pattern)
	}
	for _, pattern := range r.Deny {
		list = append(list, "--deny "+pattern)
	}
	for _, pattern := range r.Pin {
		list = append(list, "--pin "+pattern)
	}
	return list
}

// count returns n and the thing, in the plural if needed, for regular nouns.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
