package main

import "mcp-aggregator/app/setup"

type importCommand struct {
	unconfigured
	withoutServeFlags

	Output string      `help:"The mcpServers file to write." placeholder:"FILE" default:"mcp-servers.json"`
	Force  bool        `help:"Replace the file if it is there."`
	Client clientNames `help:"Take the servers of this client only; may be repeated." placeholder:"NAME"`
	Files  []string    `arg:"" optional:"" name:"file" help:"Files of a client; without any, all that are found on this machine."`
}

// Run is called by kong.
func (c *importCommand) Run(o setup.Options) error {
	keys := make([]string, len(c.Client))
	for i, name := range c.Client {
		keys[i] = string(name)
	}
	return setup.Import(o, setup.ImportOptions{Output: c.Output, Force: c.Force, Clients: keys, Files: c.Files})
}

// clientEntry is the entry of this program in a client's file.
type clientEntry struct {
	Client     clientName `help:"The client." placeholder:"NAME" required:""`
	Key        string     `help:"Key of the entry in the client's file." placeholder:"KEY" default:"aggregator"`
	ClientFile string     `help:"The client's file, if it is not where it usually is." placeholder:"PATH"`
	DryRun     bool       `help:"Write nothing, show what would change; values are hidden."`
}

type installCommand struct {
	clientEntry

	Move bool `help:"Move the client's own stdio servers into the file of --config, which is made if it is missing."`
}

type uninstallCommand struct {
	unconfigured
	withoutServeFlags
	clientEntry

	Restore bool `help:"Move the servers that install --move took back into the client's file, as in its backups."`
}

func (e clientEntry) options() setup.InstallOptions {
	return setup.InstallOptions{
		Client: string(e.Client), ClientFile: e.ClientFile, Key: e.Key, DryRun: e.DryRun,
	}
}

// Run is called by kong.
func (i *installCommand) Run(o setup.Options) error {
	options := i.options()
	options.Move = i.Move
	return setup.Install(o, options)
}

// Run is called by kong.
func (u *uninstallCommand) Run(o setup.Options) error {
	options := u.options()
	options.Restore = u.Restore
	return setup.Uninstall(o, options)
}
