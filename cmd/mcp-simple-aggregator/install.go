package main

import "mcp-aggregator/app"

// clientEntry is the entry of this program in a client's file.
type clientEntry struct {
	Client     clientName `help:"The client." placeholder:"NAME" required:""`
	Key        string     `help:"Key of the entry in the client's file." placeholder:"KEY" default:"aggregator"`
	ClientFile string     `help:"The client's file, if it is not where it usually is." placeholder:"PATH"`
	DryRun     bool       `help:"Write nothing, show what would change; values are hidden."`
}

type install struct {
	clientEntry

	Move bool `help:"Move the client's own stdio servers into the file of --config, which is made if it is missing."`
}

type uninstall struct {
	unconfigured
	unserved
	clientEntry

	Restore bool `help:"Put the servers that install --move took back into the client's file, as its backups have them."`
}

func (e clientEntry) options() app.InstallOptions {
	return app.InstallOptions{
		Client: string(e.Client), ClientFile: e.ClientFile, Key: e.Key, DryRun: e.DryRun,
	}
}

func (u uninstall) options() app.InstallOptions {
	options := u.clientEntry.options()
	options.Restore = u.Restore
	return options
}

func (i install) options() app.InstallOptions {
	options := i.clientEntry.options()
	options.Move = i.Move
	return options
}
