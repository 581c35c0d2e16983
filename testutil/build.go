package testutil

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"testing"
)

// programs are the programs that the tests of this process have built. Suite removes them.
var programs builtPrograms

type builtPrograms struct {
	mu     sync.Mutex
	folder string
}

// Build builds a main package as users do, without the race detector, and returns the
// path of the program. It builds each program once for all tests of a package.
func Build(tb testing.TB, pkg string) string {
	tb.Helper()
	programs.mu.Lock()
	defer programs.mu.Unlock()
	if programs.folder == "" {
		folder, err := os.MkdirTemp("", "programs") //nolint:usetesting // it outlives the first test that needs it
		if err != nil {
			tb.Fatal(err)
		}
		programs.folder = folder
	}
	file := filepath.Join(programs.folder, path.Base(pkg))
	if os.PathSeparator == '\\' {
		file += ".exe"
	}
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if out, err := exec.CommandContext(tb.Context(), "go", "build", "-o", file, pkg).CombinedOutput(); err != nil {
		tb.Fatalf("go build %s: %v: %s", pkg, err, out)
	}
	return file
}

func (b *builtPrograms) remove() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.folder != "" {
		_ = os.RemoveAll(b.folder) // at worst a temporary folder remains
	}
}
