package main

import (
	"os"
	"strings"

	"golang.org/x/term"

	"mcp-aggregator/app/check"
	"mcp-aggregator/app/setup"
	"mcp-aggregator/app/simple"
	"mcp-aggregator/app/version"
)

type serveCommand struct{}

// Run is called by kong.
func (serveCommand) Run(o simple.Options) error { return simple.Serve(o) }

type checkCommand struct {
	JSON   bool   `help:"Print the report as JSON." name:"json"`
	Client string `help:"Check for this client only: ${clients}." placeholder:"CLIENT" enum:"${clients}," default:""`
}

// Run is called by kong.
func (c *checkCommand) Run(o simple.Options) error {
	return check.Run(o, check.Options{JSON: c.JSON, Client: c.Client, Screen: screen(os.Stdout)})
}

type callCommand struct {
	Tool      string     `arg:"" name:"name" help:"Public name of the tool, such as everything:echo."`
	Arguments jsonObject `arg:"" optional:"" name:"json-arguments" help:"The arguments, a JSON object." default:"{}"`
}

// Run is called by kong.
func (c *callCommand) Run(o simple.Options) error { return simple.Call(o, c.Tool, c.Arguments.line()) }

// ProvideOptions is called by kong for the commands that start the servers.
func (c *commandLine) ProvideOptions() simple.Options {
	serverVersion := c.ServerVersion
	if serverVersion == "" {
		serverVersion = version.String()
	}
	return simple.Options{
		Config: c.Config, Name: c.Name, Version: serverVersion, Separator: string(c.Separator),
		Only: c.Only, Allow: c.Allow, Deny: c.Deny, Lean: c.Lean, Pin: c.Pin,
		InheritEnv: c.InheritEnv, Debug: c.Debug,
		Progress: term.IsTerminal(int(os.Stderr.Fd())),
		Environ:  os.Environ(),
		Stdin:    os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
}

// ProvideSetup is called by kong for the commands that edit files of clients.
func (c *commandLine) ProvideSetup() setup.Options {
	return setup.Options{
		Config: c.Config, ServeFlags: c.serveFlags(), Debug: c.Debug,
		Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr,
	}
}

// serveFlags returns the flags of serve that were given, apart from --config: install
// writes them into the client's entry. A flag and its value are one argument, because a
// value may begin with a dash.
func (c *commandLine) serveFlags() (flags []string) {
	if c.Separator != "auto" {
		flags = append(flags, "--separator="+string(c.Separator))
	}
	if c.Name != program {
		flags = append(flags, "--name="+c.Name)
	}
	for _, key := range c.Only { // kong splits the value at commas
		flags = append(flags, "--only="+strings.ReplaceAll(key, ",", `\,`))
	}
	for _, pattern := range c.Allow {
		flags = append(flags, "--allow="+pattern)
	}
	for _, pattern := range c.Deny {
		flags = append(flags, "--deny="+pattern)
	}
	if c.Lean {
		flags = append(flags, "--lean")
	}
	for _, pattern := range c.Pin {
		flags = append(flags, "--pin="+pattern)
	}
	if c.InheritEnv {
		flags = append(flags, "--inherit-env")
	}
	if c.Debug {
		flags = append(flags, "--debug")
	}
	return flags
}
