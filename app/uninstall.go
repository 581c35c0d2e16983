package app

import (
	"errors"
	"fmt"

	"mcp-aggregator/config/clients"
)

// Uninstall takes this program out of the client's file, and returns the exit
// code.
func Uninstall(o Options, i InstallOptions) int { return report(o.Stderr, uninstall(o, i)) }

func uninstall(o Options, i InstallOptions) error {
	in, err := i.open(o)
	if err != nil {
		return err
	}
	if in.before == nil && i.ClientFile != "" {
		_, err := readThere(i.ClientFile)
		return err
	}
	ours := clients.Installation{Client: in.client, File: in.file, Key: i.Key, Command: selfOrNone()}
	after, served, err := ours.Uninstall(in.before)
	if errors.Is(err, clients.ErrNotInstalled) {
		fmt.Fprintf(o.Stdout, "%s has no entry %q; nothing was changed\n", quoted(in.file), i.Key)
		return nil
	}
	if err != nil {
		return err
	}
	earlier := ours.Before(resolved(in.file))
	if err := in.put(in.file, in.before, after, clients.Shown{}, clients.Write); err != nil {
		return err
	}
	if served != "" && !i.DryRun {
		fmt.Fprintf(o.Stdout, "the servers that it started are in %s, which stays as it is\n", quoted(served))
	}
	if earlier != "" && !i.DryRun {
		fmt.Fprintf(o.Stdout, "servers that install --move took are not put back; %s's file as it was before is %s\n", in.client.Title, quoted(earlier))
	}
	if !i.DryRun {
		fmt.Fprintf(o.Stdout, "restart %s to have it stop the aggregator\n", in.client.Title)
	}
	return nil
}
