package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-aggregator/testutil"
)

// installed installs the built npm packages into an empty folder, without a network.
func installed(t *testing.T) string {
	t.Helper()
	onLinuxAMD64(t)
	needs(t, "npm")
	folder := t.TempDir()
	run(t, folder, "npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", filepath.Join(folder, "cache"),
		artefact(t, program+"-*.tgz"), artefact(t, program+"-linux-x64-*.tgz"))
	return folder
}

func fromNpm(t *testing.T, config string) []string {
	t.Helper()
	folder := installed(t)
	return []string{"npx", "--prefix", folder, "--no-install", program, "--config", config}
}

func TestTheNpmPackageSaysTheVersionOfItsBinary(t *testing.T) {
	folder := installed(t)
	got := run(t, folder, "node", launcher(folder), "--version")
	got, _, _ = strings.Cut(strings.TrimSpace(got), "+")
	if strings.TrimPrefix(got, "v") != version(t) {
		t.Errorf("version %s, want %s", got, version(t))
	}
}

func TestTheNpmPackageHandsTheExitCodeOn(t *testing.T) {
	folder := installed(t)
	cmd := exec.CommandContext(t.Context(), "npx", "--no-install", program, "--config", "/none.json")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 78 {
		t.Errorf("%v, want exit status 78: %s", err, out)
	}
}

func TestTheNpmPackageSaysWhatIsMissing(t *testing.T) {
	folder := installed(t)
	check(t, os.RemoveAll(filepath.Join(folder, "node_modules", program+"-linux-x64")))
	cmd := exec.CommandContext(t.Context(), "node", launcher(folder), "--version")
	out, _ := cmd.CombinedOutput()
	want := "mcp-simple-aggregator: the package mcp-simple-aggregator-linux-x64 is not installed: install again without --omit=optional, " +
		"or take a binary of the release if there is none for this machine\n"
	if cmd.ProcessState.ExitCode() != 1 || string(out) != want {
		t.Errorf("exit code %d and %s", cmd.ProcessState.ExitCode(), out)
	}
}

// Whatever ends the launcher ends the program and its servers.
func TestTheNpmLauncherLeavesNothingBehind(t *testing.T) {
	folder := installed(t)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			config := smokeConfig(t)
			mark := testutil.Mark(t)
			cmd := exec.CommandContext(t.Context(), "node", launcher(folder), "--config", config)
			cmd.Env = append(os.Environ(), mark.Entry())
			cmd.Stderr = testutil.Printed(os.Stderr)
			stdin, err := cmd.StdinPipe() // stays open: only the launcher ends
			check(t, err)
			defer stdin.Close()
			check(t, cmd.Start())
			await(t, func() bool { return len(mark.Alive()) >= 3 }) // the program and two servers, at least
			check(t, cmd.Process.Signal(signal))
			err = cmd.Wait()
			if signal != syscall.SIGKILL && err != nil {
				t.Errorf("the launcher's end: %v", err)
			}
			await(t, func() bool { return len(mark.Alive()) == 0 })
		})
	}
}

func launcher(folder string) string {
	return filepath.Join(folder, "node_modules", program, "bin", program+".js")
}

// await waits until something is so.
func await(t *testing.T, so func() bool) {
	t.Helper()
	for range 600 {
		if so() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("it does not come")
}
