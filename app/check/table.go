package check

import (
	"strings"

	"github.com/rodaine/table"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
)

// style is an SGR parameter of ECMA-48: bold, or one of the colors that every terminal
// has and themes define.
type style string

// Screen is the device that a report is printed on. The zero value is a pipe or a file.
type Screen struct {
	Width int  // columns; 0 for no limit
	Color bool // by ANSI escape sequences
}

const (
	bold   style = "1"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

var stateColors = map[child.State]style{child.Running: green, child.Failed: red, child.Stopped: yellow}

var severityColors = map[doctor.Severity]style{doctor.Error: red, doctor.Warning: yellow, doctor.Note: cyan}

// paint returns text in a style, or unchanged on a screen without colors.
func (s Screen) paint(how style, text string) string {
	if !s.Color || how == "" {
		return text
	}
	return "\x1b[" + string(how) + "m" + text + "\x1b[0m"
}

const (
	gap         = 2  // between columns
	narrowest   = 20 // columns of the screen that the last column of a table gets at least, if it is that wide
	widestShare = 3  // the other columns get at most this part of the screen
)

// grid is the content of a table. Its cells hold no escape sequences.
type grid struct {
	rows   [][]string
	indent string
	color  func(row, column int) style
}

// table returns the rows of a grid in columns. On a screen with a width cells wrap: the
// last column at what the others leave, those only if they are unusually wide.
func (s Screen) table(g grid) string {
	var out strings.Builder
	limits := s.limits(g)
	t := table.New(make([]any, len(limits))...).WithPrintHeaders(false).WithPadding(gap).WithWidthFunc(width).WithWriter(&out)
	for i, row := range g.rows {
		cells := make([]any, len(row))
		for j, cell := range row {
			lines := wrap(cell, limits[j])
			for k := range lines {
				lines[k] = s.paint(g.color(i, j), lines[k])
			}
			cells[j] = strings.Join(lines, "\n")
		}
		t.AddRow(cells...)
	}
	t.Print()
	return trimmed(out.String(), g.indent)
}

// limits returns the maximum width of each column; 0 for none.
func (s Screen) limits(g grid) []int {
	if s.Width == 0 {
		return make([]int, len(g.rows[0]))
	}
	limits, left := s.shares(g)
	last := len(limits) - 1
	limits[last] = max(left, min(narrowest, g.widest(last)))
	if over := limits[last] - left; last > 0 {
		limits[0] = max(1, limits[0]-over)
	}
	return limits
}

// shares returns the maximum widths of all columns but the last, and the width that
// they leave for that.
func (s Screen) shares(g grid) (limits []int, left int) {
	limits = make([]int, len(g.rows[0]))
	left = s.Width - len(g.indent)
	for column := range len(limits) - 1 {
		limits[column] = min(g.widest(column), max(1, s.Width/widestShare))
		left -= limits[column] + gap
	}
	return limits, left
}

func (g grid) widest(column int) int {
	widest := 1
	for _, row := range g.rows {
		widest = max(widest, width(row[column]))
	}
	return widest
}

// trimmed indents lines and removes trailing spaces.
func trimmed(lines, indent string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		out.WriteString(indent + strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

// heading returns the heading of a part of the report.
func (s Screen) heading(text string) string {
	lines := wrap(text, s.Width)
	for i := range lines {
		lines[i] = s.paint(bold, lines[i])
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// list returns the texts, one a line.
func (s Screen) list(texts []string) string {
	g := grid{indent: "  ", color: func(int, int) style { return "" }}
	for _, text := range texts {
		g.rows = append(g.rows, []string{cli.Quote(text)})
	}
	return s.table(g)
}
