package app

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

// InstallOptions are what the command lines of install and uninstall say.
type InstallOptions struct {
	Client     string // key
	ClientFile string // its file; "" for the one found on this machine
	Key        string // of the entry
	Move       bool   // the client's servers go into the mcpServers file
	DryRun     bool   // nothing is written, the changes are shown
}

// installation is what install and uninstall work on.
type installation struct {
	InstallOptions

	o      Options
	system clients.System
	client clients.Client
	file   string // the client's
	folder string // of the project whose file it is
	before []byte // the client's file; nil if there is none
}

// Install puts this program into the client's file, serving o.Config, and
// returns the exit code.
func Install(o Options, i InstallOptions) int { return report(o.Stderr, install(o, i)) }

func install(o Options, i InstallOptions) error {
	ours, err := i.servable(o)
	if err != nil {
		return err
	}
	in, err := i.open(o)
	if err != nil {
		return err
	}
	program, err := executable()
	if err != nil {
		return err
	}
	if isCached(program) {
		fmt.Fprintln(o.Stderr, "mcp-simple-aggregator: this program lies in npx's cache, which npm may clear; better install it with `npm install -g` and run that")
	}
	path, err := filepath.Abs(o.Config)
	if err != nil {
		return err
	}
	moved := clients.Moved{Client: in.before, Ours: ours}
	if i.Move {
		if moved, err = in.move(program, path, ours); err != nil {
			return err
		}
	}
	after, err := clients.Installation{
		Client: in.client, File: in.file, Key: i.Key, Command: program, Args: servingArgs(o, path),
	}.Install(moved.Client)
	if err != nil {
		return err
	}
	return in.finish(moved, ours, after)
}

// servable returns the bytes of the mcpServers file, which must be in order;
// nil if there is none and the client's servers are to make it.
func (i InstallOptions) servable(o Options) ([]byte, error) {
	data, err := clients.Read(o.Config)
	if err == nil && data == nil && i.Move {
		return nil, nil
	}
	file, err := config.NewLoader(config.Path(o.Config), config.Only(o.Only)).Load()
	if err != nil {
		return nil, err
	}
	_, err = config.NewExpander(config.NewEnv(o.Environ)).Expand(file)
	return data, err
}

// open finds and reads the client's file.
func (i InstallOptions) open(o Options) (*installation, error) {
	system, err := systemOf(o)
	if err != nil {
		return nil, err
	}
	client, ok := clients.Find(i.Client)
	if !ok {
		return nil, fmt.Errorf("client %q is not known; choose one of %s", i.Client, strings.Join(ClientKeys(), ", "))
	}
	in := &installation{InstallOptions: i, o: o, system: system, client: client, file: i.ClientFile}
	if in.file == "" {
		found, searched := system.Target(client)
		if found == "" {
			return nil, fmt.Errorf("%s is not on this machine: there is no %s; start it once, or name its file with --client-file",
				client.Name, strings.Join(searched, ", no "))
		}
		in.file = found
	} else if owner, folder, known := system.Recognize(i.ClientFile); known && owner.Key == client.Key {
		in.folder = folder
	}
	in.before, err = clients.Read(in.file)
	return in, err
}

func (in *installation) move(program, path string, ours []byte) (clients.Moved, error) {
	return clients.Moving{
		System: in.system, Client: in.client, File: in.file, Folder: in.folder,
		Self: program, Key: in.Key, Ours: path, Env: config.NewEnv(in.o.Environ),
	}.Move(in.before, ours)
}

// finish writes what has changed, our own file first: whatever happens in
// between, no server is lost.
func (in *installation) finish(moved clients.Moved, ours, after []byte) error {
	printLines(in.o.Stdout, "left with "+in.client.Name+":", moved.LeftOut)
	printLines(in.o.Stdout, "not as before:", moved.Notes)
	if len(moved.Keys) > 0 {
		fmt.Fprintf(in.o.Stdout, "move to %s: %s\n", quoted(in.o.Config), quoted(strings.Join(moved.Keys, ", ")))
	}
	if moved.Ours != nil {
		if err := in.put(in.o.Config, ours, moved.Ours); err != nil {
			return err
		}
	}
	if bytes.Equal(in.before, after) && in.before != nil {
		fmt.Fprintf(in.o.Stdout, "%s has the entry %q already; nothing was changed\n", quoted(in.file), in.Key)
		return nil
	}
	if err := in.put(in.file, in.before, after); err != nil {
		return err
	}
	if !in.DryRun {
		fmt.Fprintf(in.o.Stdout, "restart %s to have it start the aggregator\n", in.client.Name)
	}
	return nil
}

// put writes a file, with a backup beside it, or shows the change. A file that
// is as it was is left alone.
func (in *installation) put(path string, before, after []byte) error {
	if bytes.Equal(before, after) && before != nil {
		return nil
	}
	if in.DryRun {
		_, err := fmt.Fprint(in.o.Stdout, harmlessLines(clients.Diff(path, before, after, in.Key)))
		return err
	}
	now, err := clients.Read(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return fmt.Errorf("%s has just been changed by another program; run this again", quoted(path))
	}
	backup, err := clients.Backup(path)
	if err != nil {
		return fmt.Errorf("backup of %s cannot be made: %w; allow writing to its folder", quoted(path), err)
	}
	if err := clients.Write(path, after); err != nil {
		return unwritable(path, err)
	}
	fmt.Fprintf(in.o.Stdout, "wrote %s%s\n", quoted(path), backupNote(backup))
	return nil
}

func backupNote(backup string) string {
	if backup == "" {
		return ""
	}
	return " (as it was: " + quoted(backup) + ")"
}

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
	after, served, err := clients.Installation{
		Client: in.client, File: in.file, Key: i.Key, Command: selfOrNone(),
	}.Uninstall(in.before)
	if errors.Is(err, clients.ErrNotInstalled) {
		fmt.Fprintf(o.Stdout, "%s has no entry %q; nothing was changed\n", quoted(in.file), i.Key)
		return nil
	}
	if err != nil {
		return err
	}
	if err := in.put(in.file, in.before, after); err != nil {
		return err
	}
	if served != "" && !i.DryRun {
		fmt.Fprintf(o.Stdout, "the servers that it started are in %s, which stays as it is\n", quoted(served))
	}
	if !i.DryRun {
		fmt.Fprintf(o.Stdout, "restart %s to have it stop the aggregator\n", in.client.Name)
	}
	return nil
}
