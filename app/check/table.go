package app

import (
	"strings"

	"github.com/rodaine/table"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
)

// style is how something is painted: an SGR parameter of ECMA-48, of the colours
// that every terminal has and themes choose.
type style string

const (
	bold   style = "1"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

var stateColours = map[child.State]style{child.Running: green, child.Failed: red, child.Stopped: yellow}

var severityColours = map[doctor.Severity]style{doctor.Error: red, doctor.Warning: yellow, doctor.Note: cyan}

// paint returns text in a style, or as it is where there is no colour.
func (s Screen) paint(how style, text string) string {
	if !s.Colour || how == "" {
		return text
	}
	return "\x1b[" + string(how) + "m" + text + "\x1b[0m"
}

const (
	gap         = 2  // between columns
	narrowest   = 20 // the last column gets at least that many columns of the screen, if it is that wide
	widestShare = 3  // the others get at most this part of the screen
)

// grid is a table to be shown, each cell without escapes.
type grid struct {
	rows   [][]string
	indent string
	colour func(row, column int) style
}

// table returns the rows of a grid in columns. On a screen that has a width
// they are wrapped: the last column to what the others leave, those only if they
// are unusually long.
func (s Screen) table(g grid) string {
	var out strings.Builder
	limits := s.limits(g)
	t := table.New(make([]any, len(limits))...).WithPrintHeaders(false).WithPadding(gap).WithWidthFunc(width).WithWriter(&out)
	for i, row := range g.rows {
		cells := make([]any, len(row))
		for j, cell := range row {
			lines := wrap(cell, limits[j])
			for k := range lines {
				lines[k] = s.paint(g.colour(i, j), lines[k])
			}
			cells[j] = strings.Join(lines, "\n")
		}
		t.AddRow(cells...)
	}
	t.Print()
	return trimmed(out.String(), g.indent)
}

// limits returns how wide each column may be; 0 for any width.
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

// shares returns how wide the columns may be but for the last, and what they leave
// of the screen for that.
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

// trimmed indents lines, and drops the spaces at their ends.
func trimmed(lines, indent string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		out.WriteString(indent + strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
