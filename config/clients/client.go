package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mcp-aggregator/config/clienttable"
)

// Client is an MCP client whose files can be read and edited.
type Client struct {
	Key   string // as --client takes it
	Title string // as its maker writes it

	clienttable.Config
}

// All returns every client whose files are known, in the order in which they are
// imported.
//
// A file may be elsewhere when a client is started with an option of its own;
// --client-file and FILE are for that.
func All() (all []Client) {
	for _, c := range clienttable.All() {
		if c.Config != nil {
			all = append(all, Client{c.Key, c.Title, *c.Config})
		}
	}
	return all
}

// Find returns the client with that key.
func Find(key string) (Client, bool) {
	for _, c := range All() {
		if c.Key == key {
			return c, true
		}
	}
	return Client{}, false
}

// System is the machine and the user that files are looked for.
type System struct {
	GOOS   string // as of runtime.GOOS
	Home   string
	Folder string // the current folder
	Lookup func(variable string) (string, bool)
}

// Files returns where c's own file may be for this user, the one to prefer
// first. Those whose variables are not set are left out.
func (s System) Files(c Client) (paths []string) {
	files := c.Files[s.GOOS]
	if files == nil { // the other systems keep to the XDG folders too
		files = c.Files["linux"]
	}
	for _, file := range files {
		if path, ok := s.expandPath(file); ok {
			paths = append(paths, s.expandGlob(path)...)
		}
	}
	return paths
}

// expandPath puts folders into a path of the table.
func (s System) expandPath(path string) (resolved string, ok bool) {
	ok = true
	path = regexp.MustCompile(`%(\w+)%`).ReplaceAllStringFunc(path, func(name string) string {
		value, set := s.Lookup(strings.Trim(name, "%"))
		ok = ok && set && value != ""
		return value
	})
	if rest, isConfig := strings.CutPrefix(path, "~/.config/"); isConfig {
		if folder, set := s.Lookup("XDG_CONFIG_HOME"); set && filepath.IsAbs(folder) {
			return filepath.Join(folder, rest), ok
		}
	}
	if rest, isHome := strings.CutPrefix(path, "~/"); isHome {
		return filepath.Join(s.Home, rest), ok && s.Home != ""
	}
	return filepath.FromSlash(path), ok
}

// expandGlob returns the paths whose folder is there, of a path with a star in it.
func (s System) expandGlob(path string) []string {
	if !strings.Contains(path, "*") {
		return []string{path}
	}
	folders, _ := filepath.Glob(filepath.Dir(path)) // only a pattern of the table can be wrong
	for i := range folders {
		folders[i] = filepath.Join(folders[i], filepath.Base(path))
	}
	return folders
}

// Target returns the file of c to install into: the preferred one of those
// whose client is there. If it is not, searched is where it was looked for.
func (s System) Target(c Client) (path string, searched []string) {
	for _, file := range s.Files(c) {
		sign := filepath.Dir(file)
		if sign == filepath.Clean(s.Home) {
			sign, _ = s.expandPath(c.ClientFolder)
		}
		if exists(file) || exists(sign) {
			return file, nil
		}
		searched = append(searched, file)
	}
	return "", searched
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Recognize returns the client whose file path is, by its name, and the
// folder of the project if it is one of a project.
func (s System) Recognize(path string) (c Client, folder string, ok bool) {
	absolute := path
	if !filepath.IsAbs(path) {
		absolute = filepath.Join(s.Folder, path)
	}
	for _, c := range All() {
		if slices.Contains(s.Files(c), absolute) {
			return c, "", true
		}
	}
	return recognizeByName(filepath.ToSlash(absolute))
}

// recognizeByName is for files that are not where they usually are.
func recognizeByName(slashed string) (c Client, folder string, ok bool) {
	for _, c := range All() {
		for _, project := range c.Project {
			if root, is := strings.CutSuffix(slashed, "/"+project); is {
				return c, filepath.FromSlash(root), true
			}
		}
	}
	for _, c := range All() {
		files := slices.Concat(c.Files["darwin"], c.Files["windows"], c.Files["linux"])
		if !c.CommonName && slices.ContainsFunc(files, func(file string) bool {
			return strings.HasSuffix(slashed, file[strings.LastIndex(file, "/"):])
		}) {
			return c, "", true
		}
	}
	return Client{}, "", false
}

// GuessClient returns the client whose form a file of nobody known has: one that calls its
// servers as no other does, or the usual one.
func GuessClient(data []byte) Client {
	usual, _ := Find(clienttable.CommonFormat)
	doc, err := parse("", data)
	if err != nil || doc.root.Find("/"+usual.Servers) != nil {
		return usual
	}
	for _, c := range All() {
		if doc.root.Find("/"+c.Servers) != nil {
			return c
		}
	}
	return usual
}
