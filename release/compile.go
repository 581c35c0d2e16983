package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const program = "mcp-simple-aggregator"

// platform is one that a release is for, in Go's words.
type platform struct{ OS, Arch string }

var platforms = []platform{
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func (p platform) String() string { return p.OS + "-" + p.Arch }

// file is the program's name there.
func (p platform) file() string {
	if p.OS == "windows" {
		return program + ".exe"
	}
	return program
}

// compile builds the program for every platform, out/build/OS-ARCH/, and returns
// the paths.
func compile(out string) (map[platform]string, error) {
	binaries := map[platform]string{}
	for _, p := range platforms {
		binaries[p] = filepath.Join(out, "build", p.String(), p.file())
		if err := compileFor(p, binaries[p]); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
	}
	return binaries, nil
}

// compileFor builds one static binary. Its version is what Go finds in the
// repository, where there is one.
func compileFor(p platform, file string) error {
	fmt.Println("go build:", p)
	args := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", file}
	args = append(args, fmt.Sprintf("-buildvcs=%t", command("git", "rev-parse", "HEAD").Run() == nil))
	cmd := command("go", append(args, "./cmd/"+program)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// command is one that Ctrl-C ends together with this program.
func command(name string, args ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), name, args...)
}
