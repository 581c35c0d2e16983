package main_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-aggregator/testutil"
)

// Npx starts a shell, and that starts node.
func TestNothingIsLeftOfRealServersBehindNpx(t *testing.T) {
	t.Parallel()
	folder := filepath.Dir(testutil.NPM(t, "node_modules"))
	for name, end := range map[string]func(*process) error{
		"the end of input":    func(p *process) error { return p.stdin.Close() },
		"SIGTERM":             func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"two signals at once": twoSignals,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := serveBehindNpx(t, folder)
			p.awaitList(allListed)
			noError(t, end(p))
			p.awaitExit(0)
		})
	}
	t.Run("SIGKILL", func(t *testing.T) {
		t.Parallel()
		p := serveBehindNpx(t, folder)
		p.awaitList(allListed)
		noError(t, p.cmd.Process.Kill())
		p.wait()
		p.awaitServers(0)
	})
	t.Run("SIGKILL while they start", func(t *testing.T) {
		t.Parallel()
		p := serveBehindNpx(t, folder)
		eventually(t, "more processes than servers", func() bool { return len(p.servers()) > 3 })
		noError(t, p.cmd.Process.Kill())
		p.wait()
		p.awaitServers(0)
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
