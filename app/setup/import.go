package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

// ImportOptions are what the command line of import says.
type ImportOptions struct {
	Output  string   // path of the mcpServers file to write
	Force   bool     // replace it if it is there
	Clients []string // keys; none stands for all
	Files   []string // of one client; none stands for those found on this machine
}

// ClientKeys returns the keys of the clients whose files are known.
func ClientKeys() (keys []string) {
	for _, client := range clients.All() {
		keys = append(keys, client.Key)
	}
	return keys
}

// origin is a file to import, and whose it is.
type origin struct {
	client clients.Client
	folder string // of the project; "" for the user's own file
	path   string
}

// Import writes an mcpServers file of the servers that clients have, and
// returns the exit code: ExitFailed if there is no such file then, or one of
// the clients' files could not be read.
func Import(o Options, i ImportOptions) int {
	if _, err := os.Lstat(i.Output); err == nil && !i.Force {
		return report(o.Stderr, fmt.Errorf("%s is there already; choose another file with --output, or replace it with --force", quoted(i.Output)))
	}
	system, err := systemOf(o)
	if err != nil {
		return report(o.Stderr, err)
	}
	origins, searched, err := i.origins(system)
	if err != nil {
		return report(o.Stderr, err)
	}
	if len(origins) == 0 {
		fmt.Fprintln(o.Stderr, "mcp-simple-aggregator: no client's file was found; name one, or start the client once. These were looked for:")
		for _, path := range searched {
			fmt.Fprintln(o.Stderr, "  "+quoted(path))
		}
		return ExitFailed
	}
	for _, one := range origins {
		if sameTarget(one.path, i.Output) {
			return report(o.Stderr, fmt.Errorf("%s is to be read and to be written; choose another file with --output", quoted(i.Output)))
		}
	}
	found := &clients.Collection{System: system, Self: selfOrNone()}
	failed := readAll(o.Stderr, found, origins)
	return max(i.write(o, found), failed)
}

// systemOf is the machine and the user that o tells of.
func systemOf(o Options) (clients.System, error) {
	env := config.NewEnv(o.Environ)
	home, _ := env.Lookup("HOME")
	if runtime.GOOS == "windows" {
		home, _ = env.Lookup("USERPROFILE")
	}
	folder, err := os.Getwd()
	return clients.System{GOOS: runtime.GOOS, Home: home, Folder: folder, Lookup: env.Lookup}, err
}

// origins returns the files to read, or else where there could be some.
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

// present drops files that are not there, and those that are another by
// another name.
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

// named returns the files of the command line.
func (i ImportOptions) named(system clients.System) (found []origin, err error) {
	if len(i.Clients) > 1 {
		return nil, errors.New("files are of one client; give --client once, or not at all")
	}
	for _, path := range i.Files {
		client, folder, known := system.Recognize(path)
		if !known {
			data, _ := clients.Read(path) // reading it again will tell what is wrong
			client = clients.Guess(data)
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

// readAll adds the servers of all files, and tells of those that cannot be
// read.
func readAll(stderr io.Writer, found *clients.Collection, origins []origin) (code int) {
	for _, one := range origins {
		data, err := readThere(one.path)
		if err == nil {
			err = found.Add(one.client, one.folder, one.path, data)
		}
		if err != nil {
			fmt.Fprintln(stderr, "mcp-simple-aggregator:", err)
			code = ExitFailed
		}
	}
	return code
}

// readThere reads a file that must be there.
func readThere(path string) ([]byte, error) {
	data, err := clients.Read(path)
	if err == nil && data == nil {
		err = fmt.Errorf("%s: file not found; give the path of a client's configuration", quoted(path))
	}
	return data, err
}

// write writes the file, unless there is nothing to write, and tells all.
func (i ImportOptions) write(o Options, found *clients.Collection) int {
	printImport(o.Stdout, found)
	if len(found.Servers) == 0 {
		return report(o.Stderr, errors.New("there is no server to take over; nothing was written"))
	}
	text := clients.Compose(found.Servers)
	file, err := config.Read(config.Path(i.Output), text)
	if err == nil && len(file.Problems) > 0 {
		err = file.Problems
	}
	if err != nil {
		return report(o.Stderr, err)
	}
	backup, err := clients.Backup(i.Output)
	if err == nil {
		err = clients.WritePrivate(i.Output, text)
	}
	if err != nil {
		return report(o.Stderr, unwritable(i.Output, err))
	}
	printNeeds(o.Stdout, clients.Unset(found.Servers, config.NewEnv(o.Environ)))
	fmt.Fprintf(o.Stdout, "wrote %s%s; see whether everything runs:\n  %s check --config %s\n",
		quoted(i.Output), backupNote(backup), argument(os.Args[0]), argument(i.Output))
	return ExitOK
}
