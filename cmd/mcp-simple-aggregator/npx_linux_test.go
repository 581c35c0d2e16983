package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-aggregator/testutil"
)

// Real servers as people start them: npx starts a shell, and that starts node.
func TestNothingIsLeftOfRealServersBehindNpx(t *testing.T) {
	t.Parallel()
	folder := npm(t)
	for name, end := range map[string]func(*process) error{
		"the end of input":    func(p *process) error { return p.stdin.Close() },
		"SIGTERM":             func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"two signals at once": twoSignals,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := serveBehindNpx(t, folder)
			p.lists(allListed)
			check(t, end(p))
			p.exits(0)
		})
	}
	t.Run("SIGKILL", func(t *testing.T) {
		t.Parallel()
		p := serveBehindNpx(t, folder)
		p.lists(allListed)
		check(t, p.cmd.Process.Kill())
		p.wait()
		p.started(0)
	})
	t.Run("SIGKILL while they start", func(t *testing.T) {
		t.Parallel()
		p := serveBehindNpx(t, folder)
		eventually(t, "more processes than servers", func() bool { return len(p.servers()) > 3 })
		check(t, p.cmd.Process.Kill())
		p.wait()
		p.started(0)
	})
}

func serveBehindNpx(t *testing.T, folder string) *process {
	t.Helper()
	var servers []string
	for _, server := range []string{"everything", "memory", "sequential-thinking"} {
		servers = append(servers, fmt.Sprintf(
			`%[1]q:{"command":"npx","args":["--no-install","mcp-server-%[1]s"],"cwd":%[2]q,"env":{"API_KEY":%[3]q,"HOME":%[4]q}}`,
			server, folder, testutil.Canary, t.TempDir()))
	}
	p := serve(t, strings.Join(servers, ","))
	p.open()
	return p
}

func allListed(list string) bool {
	return strings.Contains(list, `"everything:`) && strings.Contains(list, `"memory:`) && strings.Contains(list, `"sequential-thinking:`)
}

// npm is the folder of the real servers.
func npm(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../../testutil/npm")
	if err == nil {
		_, err = exec.LookPath("npx")
	}
	if err == nil {
		_, err = os.Stat(filepath.Join(folder, "node_modules", ".bin", "mcp-server-everything"))
	}
	if err == nil {
		return folder
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("real servers are required in CI (make test installs them): %v", err)
	}
	t.Skipf("*** SKIPPED: no real servers; install Node and run make test: %v ***", err)
	return ""
}
