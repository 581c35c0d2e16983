package pgtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// PGlite is a PostgreSQL with pgvector, which Debian has no package of: PGlite, in a
// process of Node. It has one database and one session, which all connections share. It
// is started by the first test that needs it, and stopped by Wrap; the zero value is
// ready for use.
type PGlite struct {
	once  sync.Once
	cmd   *exec.Cmd
	leash io.Closer
	url   string
	err   error
}

// Wrap is tests, with the server stopped at their end.
func (p *PGlite) Wrap(tests TestRunner) TestRunner { return aroundPGlite{p, tests} }

type aroundPGlite struct {
	server *PGlite
	tests  TestRunner
}

// Run implements TestRunner.
func (a aroundPGlite) Run() int {
	defer a.server.stop()
	return a.tests.Run()
}

func (p *PGlite) stop() {
	if p.leash != nil {
		_ = p.leash.Close()
		_ = p.cmd.Wait()
	}
}

// URL is where the server is reached. Its connections share one session: no statement has
// a name.
func (p *PGlite) URL(tb testing.TB) string {
	tb.Helper()
	p.once.Do(func() { p.err = p.start() })
	if p.err != nil {
		if os.Getenv("CI") != "" {
			tb.Fatalf("CI cannot do without PGlite: %v", p.err)
		}
		tb.Skipf("no PGlite: %v", p.err)
	}
	return p.url
}

func (p *PGlite) start() error {
	node, err := exec.LookPath("node")
	if err != nil {
		return err
	}
	folder, err := npmFolder()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "@electric-sql", "pglite")); err != nil {
		return fmt.Errorf("%w: run npm ci --prefix testutil/npm", err)
	}
	p.cmd = exec.Command(node, "pglite.mjs") // which ends with its standard input
	p.cmd.Dir, p.cmd.Stderr = folder, os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.leash = in
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("pglite.mjs: %w", err)
	}
	p.url = "postgres://postgres:postgres@127.0.0.1:" + strings.TrimSpace(port) + "/postgres?sslmode=disable&default_query_exec_mode=exec"
	return nil
}

// npmFolder is testutil/npm in the checkout that a test runs in.
func npmFolder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; folder = filepath.Dir(folder) {
		npm := filepath.Join(folder, "testutil", "npm")
		if _, err := os.Stat(npm); err == nil || folder == filepath.Dir(folder) {
			return npm, err
		}
	}
}
