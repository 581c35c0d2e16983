package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table is a part of a report, for the page and for a terminal.
type Table struct {
	Title string
	Image string // chart for the page
	Head  []string
	Rows  [][]string
	After string // text below the table
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// Markdown writes the table for the page.
func (t *Table) Markdown(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n", t.Title)
	if t.Image != "" {
		fmt.Fprintf(w, "%s\n\n", t.Image)
	}
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(t.Head, " | "), strings.Repeat("---|", len(t.Head)))
	for _, row := range t.Rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
	if t.After != "" {
		fmt.Fprintf(w, "\n%s\n", t.After)
	}
}

// Plain writes the table for a terminal.
func (t *Table) Plain(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", t.Title)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		fmt.Fprintln(columns, "  "+strings.Join(row, "\t"))
	}
	_ = columns.Flush() // errors of standard output cannot be reported
}

func number(format string, value float64) string { return fmt.Sprintf(format, value) }

// Digits formats a value of any magnitude with its significant digits.
func Digits(value float64) string {
	switch {
	case value < 10:
		return number("%.2f", value)
	case value < 1000:
		return number("%.1f", value)
	default:
		return number("%.0f", value)
	}
}

// spread formats the range of the middle half of the rounds.
func (r Ratio) spread() string { return fmt.Sprintf("%.2f to %.2f", r.Low, r.High) }
