package main

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// system is what a package of a Linux distribution installs. zsh looks for
// completions in one folder on Debian, in another on Fedora.
func (r *release) system(p platform, zshFolder string) ([]entry, error) {
	binary, err := os.ReadFile(r.binaries[p])
	if err != nil {
		return nil, err
	}
	return []entry{
		{"usr/bin/" + program, 0o755, binary},
		{"usr/share/bash-completion/completions/" + program, 0o644, r.text(completions["bash"])},
		{"usr/share/doc/" + program + "/changelog", 0o644, r.text("CHANGELOG.md")},
		{"usr/share/doc/" + program + "/copyright", 0o644, r.text("LICENSE")},
		{"usr/share/fish/vendor_completions.d/" + program + ".fish", 0o644, r.text(completions["fish"])},
		{zshFolder + "/_" + program, 0o644, r.text(completions["zsh"])},
	}, nil
}

// folders are the entries with the folders they are in before them.
func folders(entries []entry) []entry {
	var all []entry
	seen := map[string]bool{}
	for _, e := range entries {
		var above []entry
		for folder := path.Dir(e.name); folder != "." && !seen[folder]; folder = path.Dir(folder) {
			seen[folder] = true
			above = append(above, entry{name: folder + "/", mode: 0o755})
		}
		slices.Reverse(above)
		all = append(append(all, above...), e)
	}
	return all
}

// systemVersion is the version as dpkg and rpm order it: what follows a tilde comes
// before what it precedes, and a hyphen would start their own revision.
func (r *release) systemVersion() string {
	return strings.ReplaceAll(strings.Replace(r.version, "-", "~", 1), "-", ".")
}

// linuxes are the platforms that have such packages.
func linuxes() []platform {
	return slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool { return p.OS != "linux" })
}

// description is the summary as a sentence or two.
const description = "Every tool of every server, behind a single stdio server, with arguments,\nresults and errors passed on unchanged, byte for byte."

func indented(text string) string {
	return fmt.Sprintf(" %s", strings.ReplaceAll(text, "\n", "\n "))
}
