package app

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
	Restore    bool   // and out of it again
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
	ours, err := readOurs(o, i.Move)
	if err != nil {
		return err
	}
	in, err := i.open(o)
	if err != nil {
		return err
	}
	if sameTarget(in.file, o.Config) {
		return fmt.Errorf("%s is %s's own file; give --config another one, which --move makes of it if it is missing", quoted(o.Config), in.client.Title)
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
	entry, err := in.entry(program, path, moved)
	if err != nil {
		return err
	}
	return in.finish(moved, ours, entry)
}

// readOurs returns the bytes of the mcpServers file; nil if there is none and
// the client's servers are to make it.
func readOurs(o Options, move bool) ([]byte, error) {
	data, err := clients.Read(o.Config)
	if errors.Is(err, clients.ErrIrregular) || err == nil && (data != nil || move) {
		return data, err
	}
	_, err = config.NewLoader(config.Path(o.Config), nil).Load() // it says what is wrong
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
		return nil, fmt.Errorf("client %q is not known; choose one of %s", i.Client, strings.Join(ClientKeys(), ", "))
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

func (in *installation) move(program, path string, ours []byte) (clients.Moved, error) {
	moved, err := clients.Moving{
		System: in.system, Client: in.client, File: in.file, Folder: in.folder,
		Self: program, Key: in.Key, Ours: path, Env: config.NewEnv(in.o.Environ),
	}.Move(in.before, ours)
	if err != nil && ours != nil {
		entry := clients.Installation{Client: in.client, File: in.file, Key: in.Key, Command: program}
		if _, all := in.servable(entry, in.before, ours); all != nil {
			return moved, all // of our own file, variables included
		}
	}
	return moved, err
}

// servable reads the mcpServers file, ours, which must be in order for serving as the
// entry in the client's file does, and returns the variables that it needs.
func (in *installation) servable(entry clients.Installation, client, ours []byte) (needs []string, err error) {
	file, err := config.NewLoader(config.Path(in.o.Config), clients.Only(entry.Args)).Parse(ours)
	if err != nil {
		return nil, err
	}
	entry.Needs = file.Needs()
	supplied, err := entry.Supplied(client)
	if err != nil {
		return nil, err
	}
	environ := in.o.Environ
	for _, name := range supplied { // whatever their values will be
		environ = append(slices.Clip(environ), name+"=supplied")
	}
	if _, err := config.NewExpander(config.NewEnv(environ)).Expand(file); err != nil {
		return nil, err
	}
	warnUnsupported(newLogger(in.o.Stderr, in.o.Debug), file)
	return entry.Needs, nil
}

// entry is the client's file with our entry in it, and what to tell of that.
type entry struct {
	after   []byte
	shown   clients.Shown
	kept    []string // flags
	missing []string // variables that the user has to put into it
}

func (in *installation) entry(program, path string, moved clients.Moved) (e entry, err error) {
	planned := clients.Installation{
		Client: in.client, File: in.file, Key: in.Key, Command: program, Args: servingArgs(in.o, path),
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

// finish writes what has changed, our own file first: whatever happens in
// between, no server is lost.
func (in *installation) finish(moved clients.Moved, ours []byte, e entry) error {
	if in.Move && !in.DryRun {
		unlock, err := clients.Lock(in.o.Config)
		if err != nil {
			return fmt.Errorf("%s cannot be written: %w", quoted(in.o.Config), err)
		}
		defer unlock()
	}
	for _, path := range []string{in.o.Config, in.file} { // before one of the two is written
		if err := clients.Writable(path); err != nil {
			return unwritable(path, err)
		}
	}
	in.tell(moved, e)
	if !bytes.Equal(ours, moved.Ours) || ours == nil {
		if err := in.put(in.o.Config, ours, moved.Ours, clients.Shown{}, clients.WritePrivate); err != nil {
			return err
		}
	}
	if bytes.Equal(in.before, e.after) && in.before != nil {
		fmt.Fprintf(in.o.Stdout, "%s has the entry %q already; nothing was changed\n", quoted(in.file), in.Key)
		return nil
	}
	if err := in.put(in.file, in.before, e.after, e.shown, clients.Write); err != nil {
		return err
	}
	if !in.DryRun {
		fmt.Fprintf(in.o.Stdout, "restart %s to have it start the aggregator\n", in.client.Title)
	}
	return nil
}

func (in *installation) tell(moved clients.Moved, e entry) {
	printLines(in.o.Stdout, "left with "+in.client.Title+":", moved.LeftOut)
	printLines(in.o.Stdout, "not as before:", moved.Notes)
	if len(moved.Keys) > 0 {
		fmt.Fprintf(in.o.Stdout, "move to %s: %s\n", quoted(in.o.Config), quoted(strings.Join(moved.Keys, ", ")))
	}
	if len(e.kept) > 0 {
		fmt.Fprintf(in.o.Stdout, "flags that the entry keeps: %s; uninstall first to drop them\n", quoted(strings.Join(e.kept, ", ")))
	}
	if len(e.missing) > 0 {
		fmt.Fprintf(in.o.Stdout, "to do in %s:\n", quoted(in.file))
	}
	for _, name := range e.missing {
		fmt.Fprintf(in.o.Stdout, "  put %s into the \"env\" of the entry %q; %s may not pass it on\n", quoted(name), in.Key, in.client.Title)
	}
}
