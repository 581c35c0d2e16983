package main

import (
	_ "embed"
	"os"
	"strings"
)

// The manifest is written for version 0.3 of its specification
// (github.com/modelcontextprotocol/mcpb, MANIFEST.md, of 2025-12-02), the newest that
// is not a draft.
//
//go:embed bundle/manifest.json
var manifest string

// linuxScript becomes the binary for the machine it runs on: a manifest can name a
// command for an operating system, but not for an architecture.
//
//go:embed bundle/linux.sh
var linuxScript []byte

// bundle writes the .mcpb for Claude Desktop. One serves every machine: on macOS a
// universal binary, on Windows the one for amd64, which Windows runs on arm64 too, on
// Linux a script that becomes the right one.
func (r *release) bundle() error {
	replaced := strings.NewReplacer("VERSION", r.version, "ADDRESS", r.address).Replace(manifest)
	entries := []entry{{"manifest.json", 0o644, []byte(replaced)}, {"LICENSE", 0o644, r.text("LICENSE")}}
	universal, err := r.universal()
	if err != nil {
		return err
	}
	entries = append(entries, entry{"server/darwin/" + program, 0o755, universal}, entry{"server/linux/" + program, 0o755, linuxScript})
	for name, p := range map[string]platform{
		"server/linux/" + program + "-x86_64":  {"linux", "amd64"},
		"server/linux/" + program + "-aarch64": {"linux", "arm64"},
		"server/win32/" + program + ".exe":     {"windows", "amd64"},
	} {
		binary, err := os.ReadFile(r.binaries[p])
		if err != nil {
			return err
		}
		entries = append(entries, entry{name, 0o755, binary})
	}
	data, err := zipped(sorted(entries), r.made)
	if err != nil {
		return err
	}
	return r.write(program+"_"+r.version+".mcpb", data)
}
