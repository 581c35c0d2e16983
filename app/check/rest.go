package app

import (
	"fmt"
	"strings"
)

// writeRest tells of what was chosen not to be there.
func (r Report) writeRest(out *strings.Builder, s Screen) {
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

// patterns are those of the command line, each behind its flag.
func (r Report) patterns() (list []string) {
	for _, pattern := range r.Allow {
		list = append(list, "--allow "+pattern)
	}
	for _, pattern := range r.Deny {
		list = append(list, "--deny "+pattern)
	}
	return list
}

// heading stands over a part of the report.
func (s Screen) heading(text string) string {
	lines := wrap(text, s.Width)
	for i := range lines {
		lines[i] = s.paint(bold, lines[i])
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// list has one text a line.
func (s Screen) list(texts []string) string {
	g := grid{indent: "  ", colour: func(int, int) style { return "" }}
	for _, text := range texts {
		g.rows = append(g.rows, []string{quoted(text)})
	}
	return s.table(g)
}

// count is a number of things that have a regular plural.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
