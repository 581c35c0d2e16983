package main

import (
	"fmt"
	"slices"
	"strings"

	"mcp-aggregator/app"
)

type importCommand struct {
	unconfigured
	unserved

	Output string      `help:"The mcpServers file to write." placeholder:"FILE" default:"mcp-servers.json"`
	Force  bool        `help:"Replace the file if it is there."`
	Client clientNames `help:"Take the servers of this client only; may be repeated." placeholder:"NAME"`
	Files  []string    `arg:"" optional:"" name:"file" help:"Files of a client; without any, all that are found on this machine."`
}

func (c *importCommand) options() app.ImportOptions {
	keys := make([]string, len(c.Client))
	for i, name := range c.Client {
		keys[i] = string(name)
	}
	return app.ImportOptions{Output: c.Output, Force: c.Force, Clients: keys, Files: c.Files}
}

// clientNames are keys of clients.
type clientNames []clientName

// Validate is called by kong.
func (names clientNames) Validate() error {
	for _, name := range names {
		if err := name.Validate(); err != nil {
			return err
		}
	}
	return nil
}

func (clientNames) values() []string { return app.ClientKeys() }

// clientName is the key of a client whose files are known.
type clientName string

// Validate is called by kong.
func (n clientName) Validate() error {
	keys := app.ClientKeys()
	switch {
	case slices.Contains(keys, string(n)):
		return nil
	case slices.Contains(app.Clients(), string(n)):
		return fmt.Errorf("the configuration of %s is not edited by this command; docs/quickstart.md has what to write there", n)
	default:
		return fmt.Errorf("must be one of %s", strings.Join(keys, ", "))
	}
}

func (clientName) values() []string { return app.ClientKeys() }
