// Command mcp-aggregator is a service that registers MCP servers over stdio, SSE and
// streamable HTTP and offers their tools over REST and MCP, and the client to
// administer it.
//
// Its exit codes are those of package cli.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"mcp-aggregator/app/admin"
	"mcp-aggregator/app/cli"
	"mcp-aggregator/app/service"
	"mcp-aggregator/app/version"
)

// commandLine is the grammar of the command line. Kong calls the Run method of the
// command.
type commandLine struct {
	PrintVersion kong.VersionFlag `name:"version" help:"Print the version and exit."`

	Serve    serveCommand    `cmd:"" help:"Run the service."`
	Migrate  migrateCommand  `cmd:"" help:"Migrate the database to the schema of this program."`
	Servers  serversCommand  `cmd:"" help:"List, add, connect, disconnect and remove the servers of a running service."`
	Tools    toolsCommand    `cmd:"" help:"List, find and call the tools of a running service."`
	Profiles profilesCommand `cmd:"" help:"List, show, add, update and remove the profiles of a running service, named views of its tools."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

type versionCommand struct{}

// Run is called by kong.
func (versionCommand) Run() error {
	_, err := fmt.Fprintln(os.Stdout, version.String())
	return err
}

func main() { os.Exit(run(os.Args[1:])) }

// run parses the command line, runs the command and returns the exit code.
func run(args []string) int {
	var c commandLine
	parser := newParser(&c)
	ctx, err := parser.Parse(args)
	if err != nil {
		return usage(parser, err)
	}
	return report(ctx.Run())
}

func newParser(c *commandLine) *kong.Kong {
	database, _ := service.DefaultDatabase(os.Environ()) // without one, --database is required
	return kong.Must(c,
		kong.Name("mcp-aggregator"),
		kong.Description("One place for all MCP servers: a service with a REST API and an MCP endpoint."),
		kong.Vars{"version": version.String(), "database": database},
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
	return cli.ExitUsage
}

// report prints what went wrong, if anything, and returns the exit code.
func report(err error) int {
	if err == nil {
		return cli.ExitOK
	}
	if code, ok := errors.AsType[cli.ExitError](err); ok {
		return int(code)
	}
	complain(err)
	return cli.ExitFailed
}

func complain(err error) {
	fmt.Fprintf(os.Stderr, "mcp-aggregator: %s\n", admin.Escape(strings.TrimSpace(err.Error())))
}
