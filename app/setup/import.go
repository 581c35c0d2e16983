package setup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

// ImportOptions are the flags of import.
type ImportOptions struct {
	Output  string   // path of the mcpServers file to write
	Force   bool     // replace it if it exists
	Clients []string // keys; none stands for all
	Files   []string // of one client; none stands for those found on this machine
}

// Clients returns the keys of the clients whose files are known.
func Clients() (keys []string) {
	for _, client := range clients.All() {
		keys = append(keys, client.Key)
	}
	return keys
}

// origin is a file to import and the client it belongs to.
type origin struct {
	client clients.Client
	folder string // of the project; "" for the user's own file
	path   string
}

// Import writes an mcpServers file with the servers of clients. A client's file that
// cannot be read is reported on o.Stderr and skipped; then the error is a
// [cli.ExitError].
func Import(o Options, i ImportOptions) error {
	if _, err := os.Lstat(i.Output); err == nil && !i.Force {
		return fmt.Errorf("%s already exists; choose another file with --output, or replace it with --force", cli.Quote(i.Output))
	}
	system, err := systemOf(o)
	if err != nil {
		return err
	}
	origins, searched, err := i.origins(system)
	if err != nil {
		return err
	}
	if len(origins) == 0 {
		return notFound(searched)
	}
	for _, one := range origins {
		if sameTarget(one.path, i.Output) {
			return fmt.Errorf("%s would be read and written; choose another file with --output", cli.Quote(i.Output))
		}
	}
	found := &clients.Collection{System: system, Self: executableOrNone()}
	complete := readAll(o.Stderr, found, origins)
	if err := i.write(o, found); err != nil {
		return err
	}
	if !complete {
		return cli.Exit(cli.ExitFailed)
	}
	return nil
}

func notFound(searched []string) error {
	lines := []string{"no client's file was found; name one, or start the client once. These were looked for:"}
	for _, path := range searched {
		lines = append(lines, "  "+cli.Quote(path))
	}
	return errors.New(strings.Join(lines, "\n"))
}

// systemOf returns the machine and user that the environment of o describes.
func systemOf(o Options) (clients.System, error) {
	env := config.NewEnv(o.Environ)
	home, _ := env.Lookup("HOME")
	if runtime.GOOS == "windows" {
		home, _ = env.Lookup("USERPROFILE")
	}
	folder, err := os.Getwd()
	return clients.System{GOOS: runtime.GOOS, Home: home, Folder: folder, Lookup: env.Lookup}, err
}

// origins returns the files to read, and all paths that were searched.
func (i ImportOptions) origins(system clients.System) (found []origin, searched []string, err error) {
	if len(i.Files) > 0 {
		found, err = i.named(system)
		return found, nil, err
	}
	for _, client := range clients.All() {
		if len(i.Clients) > 0 && !slices.Contains(i.Clients, client.Key) {
			continue
		}
		for _, path := range system.Files(client) {
			found = append(found, origin{client, "", path})
		}
		for _, path := range client.Project {
			found = append(found, origin{client, system.Folder, filepath.Join(system.Folder, filepath.FromSlash(path))})
		}
	}
	for _, one := range found {
		searched = append(searched, one.path)
	}
	return present(found), searched, nil
}

// present returns the files that exist, each once even if several paths lead to it.
func present(origins []origin) (found []origin) {
	seen := make(map[string]bool)
	for _, one := range origins {
		target, err := filepath.EvalSymlinks(one.path)
		if errors.Is(err, fs.ErrNotExist) || seen[target] && err == nil {
			continue
		}
		seen[target] = true
		found = append(found, one)
	}
	return found
}

// named returns the files that the command line names.
func (i ImportOptions) named(system clients.System) (found []origin, err error) {
	if len(i.Clients) > 1 {
		return nil, errors.New("files are of one client; give --client once, or not at all")
	}
	for _, path := range i.Files {
		client, folder, known := system.Recognize(path)
		if !known {
			data, _ := clients.Read(path) // readAll reports what is wrong
			client = clients.GuessClient(data)
		}
		for _, key := range i.Clients {
			if key != client.Key {
				client, _ = clients.Find(key)
				folder = ""
			}
		}
		found = append(found, origin{client, folder, path})
	}
	return found, nil
}

// readAll adds the servers of all files. It reports files that cannot be read, and
// whether there were none.
func readAll(stderr io.Writer, found *clients.Collection, origins []origin) (complete bool) {
	complete = true
	for _, one := range origins {
		data, err := readExisting(one.path)
		if err == nil {
			err = found.Add(one.client, one.folder, one.path, data)
		}
		if err != nil {
			cli.Report(stderr, program, err)
			complete = false
		}
	}
	return complete
}

// readExisting reads a file that must exist.
func readExisting(path string) ([]byte, error) {
	data, err := clients.Read(path)
	if err == nil && data == nil {
		err = fmt.Errorf("%s: file not found; give the path of a client's configuration", cli.Quote(path))
	}
	return data, err
}

// write prints what was found and writes the file, unless there is nothing to write.
func (i ImportOptions) write(o Options, found *clients.Collection) error {
	printImport(o.Stdout, found)
	if len(found.Servers) == 0 {
		return errors.New("there is no server to take over; nothing was written")
	}
	text := clients.Compose(found.Servers)
	file, err := config.Read(config.Path(i.Output), text)
	if err == nil && len(file.Problems) > 0 {
		err = file.Problems
	}
	if err != nil {
		return err
	}
	backup, err := clients.Backup(i.Output)
	if err == nil {
		err = clients.WritePrivate(i.Output, text)
	}
	if err != nil {
		return unwritable(i.Output, err)
	}
	printNeeds(o.Stdout, clients.Unset(found.Servers, config.NewEnv(o.Environ)))
	fmt.Fprintf(o.Stdout, "wrote %s%s; see whether everything runs:\n  %s check --config %s\n",
		cli.Quote(i.Output), backupNote(backup), argument(os.Args[0]), argument(i.Output))
	return nil
}
