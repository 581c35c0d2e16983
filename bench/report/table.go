package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table is one part of a report: on the page and on a terminal alike.
type Table struct {
	Title string
	Image string // on the page, what is drawn of it
	Head  []string
	Rows  [][]string
	After string // a sentence below it
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// Markdown writes it for the page.
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

// Plain writes it for a terminal.
func (t *Table) Plain(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", t.Title)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		fmt.Fprintln(columns, "  "+strings.Join(row, "\t"))
	}
	_ = columns.Flush() // of standard output nothing more can be said
}

func number(format string, value float64) string { return fmt.Sprintf(format, value) }

// Digits writes a figure of any size with no more of them than tell something.
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

// spread is where the middle half of the rounds lie.
func (r Ratio) spread() string { return fmt.Sprintf("%.2f to %.2f", r.Low, r.High) }
