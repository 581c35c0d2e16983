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
	Key   string // value of --client
	Title string // name as its maker writes it

	clienttable.Config
}

// All returns every client whose files are known, in the order of import.
//
// A client may have been started with an option that names another file; --client-file
// and FILE are for that.
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

// System describes the machine and the user whose files are searched.
type System struct {
	GOOS   string // as in runtime.GOOS
	Home   string
	Folder string // the current folder
	Lookup func(variable string) (string, bool)
}

// Files returns the possible paths of the user's file of c, the preferred one first.
// Paths with variables that are not set are left out.
func (s System) Files(c Client) (paths []string) {
	files := c.Files[s.GOOS]
	if files == nil { // other systems use the XDG folders, too
		files = c.Files["linux"]
	}
	for _, file := range files {
		if path, ok := s.expandPath(file); ok {
			paths = append(paths, s.expandGlob(path)...)
		}
	}
	return paths
}

// expandPath expands ~ and variables in a path of the table. ok is false if one of them
// is not set.
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

// expandGlob returns the paths, of existing folders, that match a path with a star.
func (s System) expandGlob(path string) []string {
	if !strings.Contains(path, "*") {
		return []string{path}
	}
	folders, _ := filepath.Glob(filepath.Dir(path)) // fails for invalid patterns only
	for i := range folders {
		folders[i] = filepath.Join(folders[i], filepath.Base(path))
	}
	return folders
}

// Target returns the file of c to install into: the preferred one whose client is
// installed. If none is, path is "" and searched has the paths that were tried.
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

// Recognize returns the client that the file at path belongs to, and the folder of the
// project if it is a project's file.
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

// recognizeByName recognizes a file in an unusual place by the end of its path.
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

// GuessClient returns the client whose format the contents of an unrecognized file have.
// That is the common format, unless the file has only another client's member for servers.
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
