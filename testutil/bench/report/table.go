package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table is one part of the report: on the page and on a terminal alike.
type table struct {
	title string
	image string // on the page, what is drawn of it
	head  []string
	rows  [][]string
	after string // a sentence below it
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// markdown writes it for the page.
func (t *table) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n", t.title)
	if t.image != "" {
		fmt.Fprintf(w, "%s\n\n", t.image)
	}
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(t.head, " | "), strings.Repeat("---|", len(t.head)))
	for _, row := range t.rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
	if t.after != "" {
		fmt.Fprintf(w, "\n%s\n", t.after)
	}
}

// plain writes it for a terminal.
func (t *table) plain(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", t.title)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.head}, t.rows...) {
		fmt.Fprintln(columns, "  "+strings.Join(row, "\t"))
	}
	_ = columns.Flush() // of standard output nothing more can be said
}

func number(format string, value float64) string { return fmt.Sprintf(format, value) }

// digits writes a figure of any size with no more of them than tell something.
func digits(value float64) string {
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
