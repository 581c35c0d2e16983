package admin

import (
	"fmt"
	"strings"

	"github.com/rodaine/table"
)

// printTable prints rows in columns, which are two spaces apart. The cells are
// harmless already.
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
