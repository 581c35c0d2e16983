package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"mcp-aggregator/testutil"
)

// claude is Claude Desktop, which refuses every tool of a server that has one name
// of another form.
var claude = testutil.Smoke{Client: "claude-ai", Names: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), Tools: 10}

const smokeTime = 2 * time.Minute

// However the program was got, the same client has all the tools of two real servers.
func TestEveryWayToGetTheProgramServesTheSameTools(t *testing.T) {
	ways := map[string]func(t *testing.T, config string) []string{
		"go run":        fromSource,
		"static binary": fromArchive,
		"npm package":   fromNpm,
		"bundle":        fromBundle,
		"deb":           fromDeb,
		"rpm":           fromRpm,
	}
	for way, command := range ways {
		t.Run(way, func(t *testing.T) {
			testutil.MarkAll(t)
			args := command(t, smokeConfig(t))
			t.Logf("started as %q", args)
			smoke(t, claude, args)
		})
	}
}

// smoke talks to the program as a client does, in a folder of its own.
func smoke(t *testing.T, client testutil.Smoke, command []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	stop := time.AfterFunc(smokeTime, func() { _ = cmd.Process.Kill() }) // its output then ends
	defer stop.Stop()
	client.Run(t, cmd)
}

// smokeConfig writes a config of two small servers from npm.
func smokeConfig(t *testing.T) string {
	t.Helper()
	needs(t, "node")
	folder := t.TempDir()
	servers := map[string]any{}
	for key, server := range map[string]string{"memory": "memory", "thinking": "sequential-thinking"} {
		script, err := filepath.Abs(filepath.Join("..", "testutil", "npm", "node_modules", "@modelcontextprotocol", "server-"+server, "dist", "index.js"))
		check(t, err)
		if _, err := os.Stat(script); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("real servers are required in CI (make test installs them): %v", err)
			}
			t.Skipf("*** SKIPPED: no real servers; run make test: %v ***", err)
		}
		servers[key] = map[string]any{
			"command": "node", "args": []string{script},
			"env": map[string]string{"API_KEY": testutil.Canary, "MEMORY_FILE_PATH": filepath.Join(folder, "memory.json")},
		}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	check(t, err)
	config := filepath.Join(folder, "mcp config.json") // with a space, which breaks what is badly quoted
	check(t, os.WriteFile(config, text, 0o600))
	return config
}

func fromSource(_ *testing.T, config string) []string {
	return []string{"go", "run", "-C", "..", "./cmd/" + program, "--config", config}
}

func fromArchive(t *testing.T, config string) []string {
	t.Helper()
	onLinuxAMD64(t)
	folder := t.TempDir()
	run(t, folder, "tar", "-xzf", artefact(t, program+"_*_linux_amd64.tar.gz"))
	return []string{filepath.Join(folder, program), "--config", config}
}

func fromDeb(t *testing.T, config string) []string {
	t.Helper()
	onLinuxAMD64(t)
	needs(t, "dpkg")
	root := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755))
	check(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755))
	check(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
	options := []string{"--root=" + root, "--force-not-root", "--log=/dev/null"}
	run(t, root, "dpkg", append(options, "--install", artefact(t, program+"_*_amd64.deb"))...)
	if changed := run(t, root, "dpkg", append(options, "--verify", program)...); changed != "" {
		t.Errorf("dpkg --verify: %s", changed)
	}
	return []string{filepath.Join(root, "usr/bin", program), "--config", config}
}

func fromRpm(t *testing.T, config string) []string {
	t.Helper()
	onLinuxAMD64(t)
	needs(t, "rpm")
	root := t.TempDir()
	run(t, root, "rpm", "--root", root, "--dbpath", "/rpmdb", "--initdb")
	run(t, root, "rpm", "--root", root, "--dbpath", "/rpmdb", "--install", "--nodeps", artefact(t, program+"_*_amd64.rpm"))
	if changed := run(t, root, "rpm", "--root", root, "--dbpath", "/rpmdb", "--verify", "--nodeps", program); changed != "" {
		t.Errorf("rpm --verify: %s", changed)
	}
	return []string{filepath.Join(root, "usr/bin", program), "--config", config}
}

// fromBundle does what a host does with a bundle and the user's choice of a file.
func fromBundle(t *testing.T, config string) []string {
	t.Helper()
	onLinuxAMD64(t)
	script, err := filepath.Abs("../testutil/npm/bundle.mjs")
	check(t, err)
	folder := filepath.Join(t.TempDir(), "an extension")
	out := run(t, ".", "node", script, artefact(t, program+"_*.mcpb"), folder, config)
	var host struct {
		Version string
		Command string
		Args    []string
	}
	if err := json.Unmarshal([]byte(out), &host); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if host.Version != version(t) {
		t.Errorf("the manifest's version is %s, the program's %s", host.Version, version(t))
	}
	if got, want := fmt.Sprint(host.Args), fmt.Sprint([]string{"--config", config}); got != want {
		t.Errorf("arguments %s, want %s", got, want)
	}
	return append([]string{host.Command}, host.Args...)
}
