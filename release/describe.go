package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// What the packages say of the program.
const (
	summary = "One MCP server in front of all the servers of an mcpServers file"
	license = "MIT"
	vendor  = "the mcp-aggregator authors"
)

// release is what is to be packaged, and where.
type release struct {
	out      string
	address  string
	version  string // as the program says it, without the "v": 1.2.3, or 0.0.0-20261121191630-d99bbcf240f9
	made     time.Time
	binaries map[platform]string
	texts    []entry // what goes with a binary
}

// entry is a file of an archive.
type entry struct {
	name string // path in it, with slashes
	mode int64
	data []byte
}

// describe asks the binaries what they are.
func describe(out, address string, binaries map[platform]string) (*release, error) {
	r := &release{out: out, address: address, binaries: binaries}
	here, ok := binaries[platform{runtime.GOOS, runtime.GOARCH}]
	if !ok {
		return nil, fmt.Errorf("no binary of a release runs on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	version, err := command(here, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", here, err)
	}
	r.version = versionOf(string(version))
	if r.made, err = commitTime(here); err != nil {
		return nil, err
	}
	r.texts, err = texts(here)
	return r, err
}

// versionOf is a version without what package managers refuse or ignore: the "v",
// and what follows a plus sign, such as "dirty".
func versionOf(said string) string {
	version, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(said), "v"), "+")
	return version
}

// commitTime is the time of every file in every package, so that the same commit
// makes the same packages.
func commitTime(binary string) (time.Time, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return time.Time{}, err
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.time" {
			return time.Parse(time.RFC3339, setting.Value)
		}
	}
	return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC), nil
}

// completions are the scripts, by shell, and their names in an archive.
var completions = map[string]string{
	"bash": "completions/" + program + ".bash",
	"zsh":  "completions/_" + program,
	"fish": "completions/" + program + ".fish",
}

func texts(here string) ([]entry, error) {
	var found []entry
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found = append(found, entry{name, 0o644, data})
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, err := command(here, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion %s: %w", shell, err)
		}
		found = append(found, entry{completions[shell], 0o644, script})
	}
	return found, nil
}

// text is one of the texts.
func (r *release) text(name string) []byte {
	for _, e := range r.texts {
		if e.name == name {
			return e.data
		}
	}
	return nil
}
