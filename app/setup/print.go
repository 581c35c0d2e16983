package setup

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config/clients"
)

// printImport prints which servers are taken over and which are not.
func printImport(w io.Writer, found *clients.Collection) {
	if len(found.Servers) > 0 {
		fmt.Fprintln(w, "taken over:")
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, server := range found.Servers {
			fmt.Fprintf(table, "  %s\tfrom %s\n", cli.Quote(server.Key), cli.Quote(server.File))
		}
		_ = table.Flush() // the reader may have closed the pipe
	}
	printLines(w, "left out:", found.LeftOut)
	printLines(w, "not as before:", found.Notes)
}

func printLines(w io.Writer, title string, lines []clients.Line) {
	if len(lines) > 0 {
		fmt.Fprintln(w, title)
	}
	for _, line := range lines {
		fmt.Fprintf(w, "  %s: %s: %s\n", cli.Quote(line.File), cli.Quote(line.Path), cli.Quote(line.Text))
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
		fmt.Fprintln(w, "  "+cli.Quote(line))
	}
}

// argument returns a path as one argument of a shell command.
func argument(path string) string {
	if strings.ContainsAny(path, " \t\n\"'`$&;|<>()*?[]#~!\\{}") && !strings.ContainsAny(path, "'\\") {
		return "'" + path + "'"
	}
	return cli.Quote(path)
}
