package clienttable

import "strings"

// Config describes the JSON file in which a client stores its servers. The source is the
// client's documentation of its configuration or its source code.
type Config struct {
	// Servers is the root member that has the servers.
	Servers string
	// Files has the paths of the user's file by GOOS, the preferred one first. ~ is the
	// home folder, ~/.config is $XDG_CONFIG_HOME if that is set, %NAME% is a variable,
	// and * matches any name.
	Files map[string][]string
	// CommonName reports that other programs have files of the same name, so that a file
	// is recognized by its folder only.
	CommonName bool
	// ClientFolder is a folder that only this client creates. It is set if the file is
	// directly in the home folder.
	ClientFolder string
	// Project has the files of a project, relative to its folder.
	Project []string
	// Syntax is the syntax of variables that the client expands in servers.
	Syntax Syntax
	// WritesType reports that entries name their transport in a member "type".
	WritesType bool
	// AllowLists is the root member with the lists of "allowed" and "excluded" keys of
	// servers; "" if there is none.
	AllowLists string
}

// Syntax is the set of variable forms that a client expands in the texts of servers. The
// zero value is the client that expands none.
type Syntax struct {
	Braces        bool // ${NAME} and ${NAME:-default}
	Bare          bool // $NAME
	EnvPrefix     bool // ${env:NAME}
	Editor        bool // ${userHome}, ${workspaceFolder}, ${workspaceFolderBasename}, ${pathSeparator}, ${/}
	Inputs        bool // ${input:ID}
	OthersUnknown bool // any other ${...} may have a meaning that is not known
}

// String returns the forms in Markdown, for documents.
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

// onEverySystem returns the same files for every system.
func onEverySystem(files ...string) map[string][]string {
	return map[string][]string{"darwin": files, "windows": files, "linux": files}
}
