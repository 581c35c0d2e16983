package setup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

// Uninstall removes the entry for this program from the client's file.
func Uninstall(o Options, i InstallOptions) error {
	in, err := i.open(o)
	if err != nil {
		return err
	}
	if in.before == nil && i.ClientFile != "" {
		_, err := readExisting(i.ClientFile)
		return err
	}
	ours := clients.Installation{Client: in.client, File: in.file, Key: i.Key, Command: executableOrNone()}
	after, served, err := ours.Uninstall(in.before)
	if errors.Is(err, clients.ErrNotInstalled) && i.Restore && in.before != nil {
		after, served, err = in.before, o.Config, nil // it was removed before
	}
	if errors.Is(err, clients.ErrNotInstalled) {
		fmt.Fprintf(o.Stdout, "%s has no entry %q; nothing was changed\n", cli.Quote(in.file), i.Key)
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
	earlier := ours.BackupBefore(resolved(in.file))
	if err := in.write(in.file, in.before, after, clients.Shown{}, clients.Write); err != nil {
		return err
	}
	if !i.DryRun && !bytes.Equal(in.before, after) {
		in.printUninstalled(served, earlier)
	}
	return nil
}

func (in *installation) printUninstalled(served, earlier string) {
	if served != "" {
		fmt.Fprintf(in.o.Stdout, "the servers that it started are in %s, which stays as it is\n", cli.Quote(served))
	}
	if earlier != "" && !in.Restore {
		fmt.Fprintf(in.o.Stdout, "servers that install --move took are not put back; uninstall --restore does that, and %s's file as it was before is %s\n",
			in.client.Title, cli.Quote(earlier))
	}
	fmt.Fprintf(in.o.Stdout, "restart %s to have it stop the aggregator\n", in.client.Title)
}

// restore moves the servers that install moved to the file at served back into data,
// the client's file.
func (in *installation) restore(ours clients.Installation, data []byte, served string) ([]byte, error) {
	if served == "" {
		return nil, fmt.Errorf("%s has no entry %q; name the file that its servers were moved to with --config", cli.Quote(in.file), in.Key)
	}
	file, err := config.NewLoader(config.Path(served), nil).Load()
	if err != nil {
		return nil, err
	}
	restored, err := clients.Restoration{
		Installation: ours, System: in.system, Folder: in.folder, Ours: file, Name: served,
	}.Restore(resolved(in.file), data)
	if err != nil {
		return nil, err
	}
	if len(restored.Keys) == 0 && ours.BackupBefore(resolved(in.file)) == "" {
		return nil, fmt.Errorf("no backup is beside %s: nothing was changed; copy the servers of %s back by hand, or uninstall without --restore",
			cli.Quote(in.file), cli.Quote(served))
	}
	if len(restored.Keys) == 0 {
		fmt.Fprintf(in.o.Stdout, "no backup beside %s has a server of %s that it lacks: none is put back\n", cli.Quote(in.file), cli.Quote(served))
		return restored.Client, nil
	}
	printLines(in.o.Stdout, "not as now:", restored.Notes)
	fmt.Fprintf(in.o.Stdout, "put back from %s: %s\n", cli.Quote(served), cli.Quote(strings.Join(restored.Keys, ", ")))
	return restored.Client, nil
}
