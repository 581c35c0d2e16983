package setup

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

// InstallOptions are the flags of install and uninstall.
type InstallOptions struct {
	Client     string // key
	ClientFile string // its file; "" for the one found on this machine
	Key        string // of the entry
	Move       bool   // move the client's servers into the mcpServers file
	Restore    bool   // move them back
	DryRun     bool   // write nothing, print the changes
}

// installation is a client's file that install or uninstall edits.
type installation struct {
	InstallOptions

	o      Options
	system clients.System
	client clients.Client
	file   string // the client's
	folder string // of the project whose file it is
	before []byte // the client's file; nil if there is none
}

// Install writes an entry for this program, serving o.Config, into the client's file.
func Install(o Options, i InstallOptions) error {
	ours, err := readOurs(o, i.Move)
	if err != nil {
		return err
	}
	in, err := i.open(o)
	if err != nil {
		return err
	}
	if sameTarget(in.file, o.Config) {
		return fmt.Errorf("%s is %s's own file; give --config another one, which --move makes of it if it is missing", cli.Quote(o.Config), in.client.Title)
	}
	self, err := executable()
	if err != nil {
		return err
	}
	if isCached(self) {
		fmt.Fprintln(o.Stderr, program+": this program lies in npx's cache, which npm may clear; better install it with `npm install -g` and run that")
	}
	path, err := filepath.Abs(o.Config)
	if err != nil {
		return err
	}
	moved := clients.MigrationResult{Client: in.before, Ours: ours}
	if i.Move {
		if moved, err = in.move(self, path, ours); err != nil {
			return err
		}
	}
	entry, err := in.entry(self, path, moved)
	if err != nil {
		return err
	}
	return in.finish(moved, ours, entry)
}

// readOurs returns the bytes of the mcpServers file; nil if there is none yet and move
// creates it.
func readOurs(o Options, move bool) ([]byte, error) {
	data, err := clients.Read(o.Config)
	if errors.Is(err, clients.ErrIrregular) || err == nil && (data != nil || move) {
		return data, err
	}
	_, err = config.NewLoader(config.Path(o.Config), nil).Load() // it reports what is wrong
	return nil, err
}

// open finds and reads the client's file.
func (i InstallOptions) open(o Options) (*installation, error) {
	system, err := systemOf(o)
	if err != nil {
		return nil, err
	}
	client, ok := clients.Find(i.Client)
	if !ok {
		return nil, fmt.Errorf("client %q is not known; choose one of %s", i.Client, strings.Join(Clients(), ", "))
	}
	in := &installation{InstallOptions: i, o: o, system: system, client: client, file: i.ClientFile}
	if in.file == "" {
		found, searched := system.Target(client)
		if found == "" {
			return nil, fmt.Errorf("%s is not on this machine: there is no %s; start it once, or name its file with --client-file",
				client.Title, strings.Join(searched, ", no "))
		}
		in.file = found
	} else if owner, folder, known := system.Recognize(i.ClientFile); known && owner.Key == client.Key {
		in.folder = folder
	}
	in.before, err = clients.Read(in.file)
	return in, err
}

func (in *installation) move(self, path string, ours []byte) (clients.MigrationResult, error) {
	moved, err := clients.Migration{
		System: in.system, Client: in.client, File: in.file, Folder: in.folder,
		Self: self, Key: in.Key, Ours: path, Env: config.NewEnv(in.o.Environ),
	}.Move(in.before, ours)
	if err != nil && ours != nil {
		entry := clients.Installation{Client: in.client, File: in.file, Key: in.Key, Command: self}
		if _, all := in.servable(entry, in.before, ours); all != nil {
			return moved, all // all problems of our own file, variables included
		}
	}
	return moved, err
}

// servable checks that the entry in the client's file can serve ours, the mcpServers
// file, and returns the variables that this needs.
func (in *installation) servable(entry clients.Installation, client, ours []byte) (needs []string, err error) {
	file, err := config.NewLoader(config.Path(in.o.Config), clients.OnlyKeys(entry.Args)).Parse(ours)
	if err != nil {
		return nil, err
	}
	entry.Needs = file.RequiredVariables()
	supplied, err := entry.Supplied(client)
	if err != nil {
		return nil, err
	}
	environ := in.o.Environ
	for _, name := range supplied { // the values are not known yet
		environ = append(slices.Clip(environ), name+"=supplied")
	}
	if _, err := config.NewExpander(config.NewEnv(environ)).Expand(file); err != nil {
		return nil, err
	}
	cli.WarnUnsupported(cli.NewLogger(in.o.Stderr, in.o.Debug), file)
	return entry.Needs, nil
}

// entry is the client's file with our entry in it, and what to print about that.
type entry struct {
	after   []byte
	shown   clients.Shown
	kept    []string // flags that the entry had before
	missing []string // variables that the user has to put into it
}

func (in *installation) entry(self, path string, moved clients.MigrationResult) (e entry, err error) {
	planned := clients.Installation{
		Client: in.client, File: in.file, Key: in.Key, Command: self, Args: append([]string{"--config", path}, in.o.ServeFlags...),
	}
	e.shown = planned.Shown()
	if planned.Args, e.kept, err = planned.Merge(moved.Client); err != nil {
		return e, err
	}
	needs, err := in.servable(planned, moved.Client, moved.Ours)
	if err != nil {
		return e, err
	}
	planned.Needs = clients.Withheld(in.system.GOOS, needs)
	if e.after, err = planned.Install(moved.Client); err != nil {
		return e, err
	}
	e.missing, err = planned.Unprovided(e.after)
	return e, err
}

// finish writes the changed files, our own first, so that no server is lost if the
// program ends in between.
func (in *installation) finish(moved clients.MigrationResult, ours []byte, e entry) error {
	if in.Move && !in.DryRun {
		unlock, err := clients.Lock(in.o.Config)
		if err != nil {
			return fmt.Errorf("%s cannot be written: %w", cli.Quote(in.o.Config), err)
		}
		defer unlock()
	}
	for _, path := range []string{in.o.Config, in.file} { // check both before writing one
		if err := clients.Writable(path); err != nil {
			return unwritable(path, err)
		}
	}
	in.printPlan(moved, e)
	if !bytes.Equal(ours, moved.Ours) || ours == nil {
		if err := in.write(in.o.Config, ours, moved.Ours, clients.Shown{}, clients.WritePrivate); err != nil {
			return err
		}
	}
	if bytes.Equal(in.before, e.after) && in.before != nil {
		fmt.Fprintf(in.o.Stdout, "%s has the entry %q already; nothing was changed\n", cli.Quote(in.file), in.Key)
		return nil
	}
	if err := in.write(in.file, in.before, e.after, e.shown, clients.Write); err != nil {
		return err
	}
	if !in.DryRun {
		fmt.Fprintf(in.o.Stdout, "restart %s to have it start the aggregator\n", in.client.Title)
	}
	return nil
}

func (in *installation) printPlan(moved clients.MigrationResult, e entry) {
	printLines(in.o.Stdout, "left with "+in.client.Title+":", moved.LeftOut)
	printLines(in.o.Stdout, "not as before:", moved.Notes)
	if len(moved.Keys) > 0 {
		fmt.Fprintf(in.o.Stdout, "move to %s: %s\n", cli.Quote(in.o.Config), cli.Quote(strings.Join(moved.Keys, ", ")))
	}
	if len(e.kept) > 0 {
		fmt.Fprintf(in.o.Stdout, "flags that the entry keeps: %s; uninstall first to drop them\n", cli.Quote(strings.Join(e.kept, ", ")))
	}
	if len(e.missing) > 0 {
		fmt.Fprintf(in.o.Stdout, "to do in %s:\n", cli.Quote(in.file))
	}
	for _, name := range e.missing {
		fmt.Fprintf(in.o.Stdout, "  put %s into the \"env\" of the entry %q; %s may not pass it on\n", cli.Quote(name), in.Key, in.client.Title)
	}
}
