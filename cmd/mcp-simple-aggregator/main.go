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
	"golang.org/x/term"

	"mcp-aggregator/app"
)

// exitUsage is the exit code of wrong usage, kong's own.
const exitUsage = 80

type cli struct {
	Config        string           `help:"The mcpServers file." placeholder:"FILE" required:""`
	Separator     separator        `help:"What stands between server key and tool name; auto is a colon, or what the client takes." default:"auto"`
	Only          keys             `help:"Run only these servers of the file." placeholder:"KEY,..."`
	Allow         globs            `help:"Show only tools whose KEY:TOOL matches: *, ? and [...] as in file names." placeholder:"PATTERN" sep:"none"`
	Deny          globs            `help:"Hide tools whose KEY:TOOL matches." placeholder:"PATTERN" sep:"none"`
	Name          string           `help:"Name told to the client (serverInfo.name)." default:"mcp-simple-aggregator"`
	ServerVersion string           `help:"Version told to the client (serverInfo.version); the build's unless given." placeholder:"VERSION"`
	InheritEnv    bool             `help:"Give the servers the whole environment, not only the safe part of it."`
	Debug         bool             `help:"Log info and debug messages and the servers' standard error too."`
	Version       kong.VersionFlag `help:"Print the version and exit."`

	Serve serve `cmd:"" default:"withargs" help:"Serve the client on standard input and output (the default)."`
	Check check `cmd:"" help:"Start every server, report on each, stop."`
	Call  call  `cmd:"" help:"Call one tool and print its result."`

	Import     importCommand `cmd:"" help:"Write an mcpServers file of the servers that your clients have."`
	Install    install       `cmd:"" help:"Put the aggregator into a client's configuration."`
	Uninstall  uninstall     `cmd:"" help:"Take the aggregator out of a client's configuration."`
	Completion completion    `cmd:"" help:"Print a completion script for a shell."`
}

type serve struct{}

type check struct {
	JSON   bool   `help:"Print the report as JSON." name:"json"`
	Client string `help:"Judge for this client only: ${clients}." placeholder:"CLIENT" enum:"${clients}," default:""`
}

type call struct {
	Tool      string     `arg:"" name:"name" help:"Public name of the tool, such as everything:echo."`
	Arguments jsonObject `arg:"" optional:"" name:"json-arguments" help:"The arguments, a JSON object." default:"{}"`
}

func main() { os.Exit(run(os.Args[1:])) }

// run parses the command line, runs the command and returns the exit code.
func run(args []string) int {
	var c cli
	parser := kong.Must(&c,
		kong.Name("mcp-simple-aggregator"),
		kong.Description("One stdio MCP server in front of all the servers of an mcpServers file."),
		kong.Vars{"version": app.Version(), "clients": strings.Join(app.Clients(), ",")},
		kong.Help(help),
	)
	ctx, err := parser.Parse(args)
	if err != nil {
		return usage(parser, err)
	}
	return c.dispatch(ctx.Command())
}

// usage explains wrong usage on standard error: standard output is the wire.
func usage(parser *kong.Kong, err error) int {
	parser.Stdout = os.Stderr
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok {
		_ = wrong.Context.PrintUsage(true) // the error itself follows
	}
	fmt.Fprintf(os.Stderr, "mcp-simple-aggregator: %s\n", strings.Map(plain, err.Error()))
	return exitUsage
}

// plain replaces what could act on a terminal: the error repeats the arguments.
func plain(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return '?'
}

func (c *cli) dispatch(command string) int {
	switch command {
	case "check":
		return app.Check(c.options(), app.CheckOptions{JSON: c.Check.JSON, Client: c.Check.Client, Screen: screen(os.Stdout)})
	case "call <name>", "call <name> <json-arguments>":
		return app.Call(c.options(), c.Call.Tool, c.Call.Arguments.line())
	case "import", "import <file>":
		return app.Import(c.options(), c.Import.options())
	case "install":
		return app.Install(c.options(), c.Install.options())
	case "uninstall":
		return app.Uninstall(c.options(), c.Uninstall.options())
	default:
		return app.Serve(c.options())
	}
}

func (c *cli) options() app.Options {
	version := c.ServerVersion
	if version == "" {
		version = app.Version()
	}
	return app.Options{
		Config: c.Config, Name: c.Name, Version: version, Separator: string(c.Separator),
		Only: c.Only, Allow: c.Allow, Deny: c.Deny,
		InheritEnv: c.InheritEnv, Debug: c.Debug,
		Progress: term.IsTerminal(int(os.Stderr.Fd())),
		Environ:  os.Environ(),
		Stdin:    os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
}
