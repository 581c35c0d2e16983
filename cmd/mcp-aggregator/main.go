// Command mcp-aggregator is the service that registers MCP servers over stdio, SSE and
// streamable HTTP, and offers their tools over REST and MCP; and the client of those
// who administer it.
//
// Exit codes: 0 in order, 1 something failed, 78 the service was configured wrongly,
// 80 wrong usage.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"mcp-aggregator/app"
	"mcp-aggregator/app/admin"
	"mcp-aggregator/app/service"
)

const (
	exitFailed = 1
	exitUsage  = 80 // kong's own
)

type cli struct {
	PrintVersion kong.VersionFlag `name:"version" help:"Print the version and exit."`

	Serve   serve   `cmd:"" help:"Run the service."`
	Migrate migrate `cmd:"" help:"Bring the database to the form that this program needs."`
	Servers servers `cmd:"" help:"List, add, connect, disconnect and remove the servers of a running service."`
	Tools   tools   `cmd:"" help:"List and call the tools of a running service."`
	Version version `cmd:"" help:"Print the version."`
}

type version struct{}

// Run is called by kong.
func (version) Run() error {
	_, err := fmt.Fprintln(os.Stdout, app.Version())
	return err
}

func main() { os.Exit(run(os.Args[1:])) }

// run parses the command line, runs the command and returns the exit code.
func run(args []string) int {
	var c cli
	parser := newParser(&c)
	ctx, err := parser.Parse(args)
	if err != nil {
		return usage(parser, err)
	}
	return report(ctx.Run())
}

func newParser(c *cli) *kong.Kong {
	database, _ := service.DefaultDatabase(os.Environ()) // without one, --database is asked for
	return kong.Must(c,
		kong.Name("mcp-aggregator"),
		kong.Description("One place for all MCP servers: a service with a REST API and an MCP endpoint."),
		kong.Vars{"version": app.Version(), "database": database},
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true}),
	)
}

// usage explains wrong usage on standard error: standard output is for data.
func usage(parser *kong.Kong, err error) int {
	parser.Stdout = os.Stderr
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok {
		_ = wrong.Context.PrintUsage(true) // the error itself follows
	}
	complain(err)
	return exitUsage
}

// exitError ends the program with an exit code; all is said already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func report(err error) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitError](err); ok {
		return int(code)
	}
	complain(err)
	return exitFailed
}

func complain(err error) {
	fmt.Fprintf(os.Stderr, "mcp-aggregator: %s\n", admin.Harmless(strings.TrimSpace(err.Error())))
}
