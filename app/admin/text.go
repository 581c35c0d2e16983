package admin

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rodaine/table"
)

// Escape returns text on one line, with characters that could act on a terminal escaped.
func Escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		out.WriteString(quoted[1 : len(quoted)-1])
	}
	return out.String()
}

// maxCell is how much is shown of a text in a table, in characters.
const maxCell = 100

// firstLine returns the first line of a text, at most that many characters of it.
func firstLine(text string, most int) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	line = Escape(strings.TrimSpace(line))
	if runes := []rune(line); len(runes) > most {
		line, more = string(runes[:most]), true
	}
	if more {
		line += "…"
	}
	return line
}

// printTable prints rows in columns that are two spaces apart. The cells must be escaped.
func (c *Client) printTable(heading []string, rows [][]string) error {
	var out strings.Builder
	t := table.New(cells(heading)...).WithPadding(2).WithWriter(&out)
	for _, row := range rows {
		t.AddRow(cells(row)...)
	}
	t.Print()
	for line := range strings.Lines(out.String()) {
		if _, err := fmt.Fprintln(c.options.Stdout, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func cells(row []string) []any {
	all := make([]any, len(row))
	for i, cell := range row {
		all[i] = cell
	}
	return all
}
