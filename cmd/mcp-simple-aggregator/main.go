// Command mcp-simple-aggregator is one stdio MCP server in front of all the
// stdio servers of a Claude-compatible mcpServers file.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"mcp-aggregator/app/check"
	"mcp-aggregator/app/cli"
	"mcp-aggregator/app/version"
)

const program = "mcp-simple-aggregator"

// commandLine is the grammar of the command line. Kong calls the Run method of the
// command, with what the Provide methods return as its parameters.
type commandLine struct {
	Config        string           `help:"The mcpServers file." placeholder:"FILE" required:""`
	Separator     separator        `help:"Separator between server key and tool name; auto is a colon, or one that the client accepts." default:"auto"`
	Only          keys             `help:"Run only these servers of the file." placeholder:"KEY,..."`
	Allow         globs            `help:"Show only tools whose KEY:TOOL matches: *, ? and [...] as in file names." placeholder:"PATTERN" sep:"none"`
	Deny          globs            `help:"Hide tools whose KEY:TOOL matches." placeholder:"PATTERN" sep:"none"`
	Lean          bool             `help:"List three tools that find, describe and call all others."`
	Pin           globs            `help:"With --lean, list the tools whose KEY:TOOL matches, too." placeholder:"PATTERN" sep:"none"`
	Name          string           `help:"Name sent to the client (serverInfo.name)." default:"mcp-simple-aggregator"`
	ServerVersion string           `help:"Version sent to the client (serverInfo.version); the build's unless given." placeholder:"VERSION"`
	InheritEnv    bool             `help:"Give the servers the whole environment, not only the safe part of it."`
	Debug         bool             `help:"Log info and debug messages and the servers' standard error too."`
	Version       kong.VersionFlag `help:"Print the version and exit."`

	Serve serveCommand `cmd:"" default:"withargs" help:"Serve the client on standard input and output (the default)."`
	Check checkCommand `cmd:"" help:"Start every server, report on each, stop."`
	Call  callCommand  `cmd:"" help:"Call one tool and print its result."`

	Import     importCommand     `cmd:"" help:"Write an mcpServers file of the servers that your clients have."`
	Install    installCommand    `cmd:"" help:"Add the aggregator to a client's configuration."`
	Uninstall  uninstallCommand  `cmd:"" help:"Remove the aggregator from a client's configuration."`
	Completion completionCommand `cmd:"" help:"Print a completion script for a shell."`
}

func main() { os.Exit(run(os.Args[1:])) }

// run parses the command line, runs the command and returns the exit code.
func run(args []string) int {
	var c commandLine
	parser := kong.Must(&c,
		kong.Name(program),
		kong.Description("One stdio MCP server in front of all the servers of an mcpServers file."),
		kong.Vars{"version": version.String(), "clients": strings.Join(check.Clients(), ",")},
		kong.Help(help),
	)
	ctx, err := parser.Parse(args)
	if err != nil {
		return usage(parser, err)
	}
	return cli.Report(os.Stderr, program, ctx.Run())
}

// usage explains wrong usage on standard error: standard output is for the client.
func usage(parser *kong.Kong, err error) int {
	parser.Stdout = os.Stderr
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok {
		_ = wrong.Context.PrintUsage(true) // the error itself follows
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", program, strings.Map(plain, err.Error()))
	return cli.ExitUsage
}

// plain replaces characters that could act on a terminal, because the error repeats the
// arguments.
func plain(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return '?'
}
