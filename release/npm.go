package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed npm/launcher.js
var launcher []byte

//go:embed npm/README.md
var npmReadme []byte

// Node's words for platforms.
var (
	nodeOS   = map[string]string{"darwin": "darwin", "linux": "linux", "windows": "win32"}
	nodeArch = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// nodePackage is the part of package.json that ours use.
type nodePackage struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Author               string            `json:"author"`
	Homepage             string            `json:"homepage"`
	Repository           nodeRepository    `json:"repository"`
	Keywords             []string          `json:"keywords,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Files                []string          `json:"files"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

// nodeRepository is what npm compares the place of a publication with.
type nodeRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// npm writes the packages: one with the launcher, whose optional dependencies carry a
// binary each, of which npm installs the one that fits.
func (r *release) npm() error {
	main := r.nodePackage(program, summary)
	main.Keywords = []string{"mcp", "model-context-protocol", "aggregator", "proxy"}
	main.Engines = map[string]string{"node": ">=18"}
	main.Bin = map[string]string{program: "bin/" + program + ".js"}
	main.OptionalDependencies = map[string]string{}
	folders := []string{}
	for _, p := range platforms {
		carrier, folder, err := r.carrier(p)
		if err != nil {
			return err
		}
		main.OptionalDependencies[carrier] = r.version
		folders = append(folders, folder)
	}
	folder, err := r.nodeFolder(main, entry{"bin/" + program + ".js", 0o755, launcher}, entry{"README.md", 0o644, npmReadme})
	if err != nil {
		return err
	}
	return r.npmPack(append(folders, folder))
}

// carrier writes the package that carries a platform's binary, and returns its name
// and folder.
func (r *release) carrier(p platform) (name, folder string, err error) {
	name = fmt.Sprintf("%s-%s-%s", program, nodeOS[p.OS], nodeArch[p.Arch])
	pack := r.nodePackage(name, fmt.Sprintf("The binary of %s for %s %s", program, nodeOS[p.OS], nodeArch[p.Arch]))
	pack.OS, pack.CPU, pack.PreferUnplugged = []string{nodeOS[p.OS]}, []string{nodeArch[p.Arch]}, true
	binary, err := os.ReadFile(r.binaries[p])
	if err != nil {
		return "", "", err
	}
	folder, err = r.nodeFolder(pack, entry{"bin/" + p.file(), 0o755, binary})
	return name, folder, err
}

func (r *release) nodePackage(name, about string) nodePackage {
	return nodePackage{
		Name: name, Version: r.version, Description: about, License: license, Author: vendor,
		Homepage: r.address, Repository: nodeRepository{"git", "git+" + r.address + ".git"}, Files: []string{"bin"},
	}
}

// nodeFolder writes a package's files.
func (r *release) nodeFolder(pack nodePackage, entries ...entry) (string, error) {
	manifest, err := json.MarshalIndent(pack, "", "  ")
	if err != nil {
		return "", err
	}
	folder := filepath.Join(r.out, "build", "npm", pack.Name)
	entries = append(entries, entry{"package.json", 0o644, manifest}, entry{"LICENSE", 0o644, r.text("LICENSE")})
	for _, e := range entries {
		file := filepath.Join(folder, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // for everybody, as what npm installs
			return "", err
		}
		if err := os.WriteFile(file, e.data, os.FileMode(e.mode)); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// npmPack makes a .tgz of every folder.
func (r *release) npmPack(folders []string) error {
	args := []string{"pack", "--silent", "--ignore-scripts", "--pack-destination", r.out}
	for _, folder := range folders {
		args = append(args, "./"+filepath.ToSlash(folder))
	}
	cmd := command("npm", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w: %s", err, out)
	}
	return nil
}
