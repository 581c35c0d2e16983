package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"mcp-aggregator/config/clients"
)

// printImport tells which servers are taken over and which are not.
func printImport(w io.Writer, found *clients.Collection) {
	if len(found.Servers) > 0 {
		fmt.Fprintln(w, "taken over:")
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, server := range found.Servers {
			fmt.Fprintf(table, "  %s\tfrom %s\n", quoted(server.Key), quoted(server.File))
		}
		_ = table.Flush() // as all that is printed here, for a person who may have gone
	}
	printLines(w, "left out:", found.LeftOut)
	printLines(w, "not as before:", found.Notes)
}

func printLines(w io.Writer, title string, lines []clients.Line) {
	if len(lines) > 0 {
		fmt.Fprintln(w, title)
	}
	for _, line := range lines {
		fmt.Fprintf(w, "  %s: %s: %s\n", quoted(line.File), quoted(line.Path), quoted(line.Text))
	}
}

func printNeeds(w io.Writer, needs []clients.Need) {
	if len(needs) > 0 {
		fmt.Fprintln(w, "to do, where the aggregator is started:")
	}
	for _, need := range needs {
		line := "set " + need.Name + " in the environment"
		if need.Why != "" {
			line += " (" + need.Why + ")"
		}
		fmt.Fprintln(w, "  "+quoted(line))
	}
}

// argument is a path as one argument of a shell.
func argument(path string) string {
	if strings.ContainsAny(path, " \t\n\"'`$&;|<>()*?[]#~!\\{}") && !strings.ContainsAny(path, "'\\") {
		return "'" + path + "'"
	}
	return quoted(path)
}

// harmlessLines is text without what could act on a terminal.
func harmlessLines(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || strconv.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
