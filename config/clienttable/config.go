package clienttable

import "strings"

// Config is what a client keeps on disk: a JSON file that has its servers. The
// client's documentation of its configuration is the source, or its source code.
type Config struct {
	// Servers is the root member that holds the servers.
	Servers string
	// Files is the user's own file by GOOS, the one to prefer first. ~ is the home
	// folder, ~/.config is $XDG_CONFIG_HOME where that is set, %NAME% is a variable; *
	// stands for any name.
	Files map[string][]string
	// CommonName tells that other programs have files of the same name: a file is
	// recognized by its folder only.
	CommonName bool
	// ClientFolder is a folder that only this client makes, where the file lies in the home
	// folder itself.
	ClientFolder string
	// Project are the files of a project, from its folder.
	Project []string
	// Syntax is which variables the client expands in the texts of a server.
	Syntax Syntax
	// WritesType tells that its entries name their transport.
	WritesType bool
	// AllowLists is the root member that may hold lists of the keys that are "allowed"
	// and "excluded"; "" if there is none.
	AllowLists string
}

// Syntax says which variables a client expands in its servers' texts. The zero value
// is a client that expands none.
type Syntax struct {
	Braces        bool // ${NAME} and ${NAME:-default}
	Bare          bool // $NAME
	EnvPrefix     bool // ${env:NAME}
	Editor        bool // ${userHome}, ${workspaceFolder}, ${workspaceFolderBasename}, ${pathSeparator}, ${/}
	Inputs        bool // ${input:ID}
	OthersUnknown bool // any other ${...} may mean something to it that nothing is known of
}

// String returns the syntax as people write it.
func (s Syntax) String() string {
	var forms []string
	for _, form := range []struct {
		used bool
		text string
	}{
		{s.Braces, "`${NAME}`, `${NAME:-default}`"},
		{s.Bare, "`$NAME`"},
		{s.EnvPrefix, "`${env:NAME}`"},
		{s.Editor, "`${userHome}`, `${workspaceFolder}`"},
		{s.Inputs, "`${input:ID}`"},
	} {
		if form.used {
			forms = append(forms, form.text)
		}
	}
	if forms == nil {
		return "none"
	}
	return strings.Join(forms, ", ")
}

// onEverySystem is the same files on every system.
func onEverySystem(files ...string) map[string][]string {
	return map[string][]string{"darwin": files, "windows": files, "linux": files}
}
