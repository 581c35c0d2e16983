package app

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"mcp-aggregator/config"
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
	if errors.Is(err, clients.ErrNotInstalled) && i.Restore && in.before != nil {
		after, served, err = in.before, o.Config, nil // it was taken out before
	}
	if errors.Is(err, clients.ErrNotInstalled) {
		fmt.Fprintf(o.Stdout, "%s has no entry %q; nothing was changed\n", quoted(in.file), i.Key)
		return nil
	}
	if err != nil {
		return err
	}
	if i.Restore {
		if after, err = in.restore(ours, after, served); err != nil {
			return err
		}
	}
	earlier := ours.Before(resolved(in.file))
	if err := in.put(in.file, in.before, after, clients.Shown{}, clients.Write); err != nil {
		return err
	}
	if !i.DryRun && !bytes.Equal(in.before, after) {
		in.tellUninstalled(served, earlier)
	}
	return nil
}

func (in *installation) tellUninstalled(served, earlier string) {
	if served != "" {
		fmt.Fprintf(in.o.Stdout, "the servers that it started are in %s, which stays as it is\n", quoted(served))
	}
	if earlier != "" && !in.Restore {
		fmt.Fprintf(in.o.Stdout, "servers that install --move took are not put back; uninstall --restore does that, and %s's file as it was before is %s\n",
			in.client.Title, quoted(earlier))
	}
	fmt.Fprintf(in.o.Stdout, "restart %s to have it stop the aggregator\n", in.client.Title)
}

// restore puts the servers that were moved to the file at served back into the
// client's file.
func (in *installation) restore(ours clients.Installation, data []byte, served string) ([]byte, error) {
	if served == "" {
		return nil, fmt.Errorf("%s has no entry %q; name the file that its servers were moved to with --config", quoted(in.file), in.Key)
	}
	file, err := config.NewLoader(config.Path(served), nil).Load()
	if err != nil {
		return nil, err
	}
	restored, err := clients.Restoring{
		Installation: ours, System: in.system, Folder: in.folder, Ours: file, Name: served,
	}.Restore(resolved(in.file), data)
	if err != nil {
		return nil, err
	}
	if len(restored.Keys) == 0 && ours.Before(resolved(in.file)) == "" {
		return nil, fmt.Errorf("no backup is beside %s: nothing was changed; copy the servers of %s back by hand, or uninstall without --restore",
			quoted(in.file), quoted(served))
	}
	if len(restored.Keys) == 0 {
		fmt.Fprintf(in.o.Stdout, "no backup beside %s has a server of %s that it lacks: none is put back\n", quoted(in.file), quoted(served))
		return restored.Client, nil
	}
	printLines(in.o.Stdout, "not as now:", restored.Notes)
	fmt.Fprintf(in.o.Stdout, "put back from %s: %s\n", quoted(served), quoted(strings.Join(restored.Keys, ", ")))
	return restored.Client, nil
}
