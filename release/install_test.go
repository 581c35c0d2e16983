package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	installFence = regexp.MustCompile("(?ms)^```bash\n(.*?)^```$")
	releaseFile  = regexp.MustCompile(program + `[-_][a-z0-9_-]*VERSION[A-Za-z0-9_.]*[a-z0-9]`)
)

// elsewhere begin the commands of the install guide that need what is not here: the
// right to install, Homebrew, a container engine. That their files exist is checked.
var elsewhere = regexp.MustCompile(`^(sudo|brew|cp .*brew|docker) `)

func guide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/install.md")
	check(t, err)
	return strings.ReplaceAll(string(text), "VERSION", version(t))
}

func TestTheInstallGuideNamesFilesOfTheRelease(t *testing.T) {
	text, err := os.ReadFile("../docs/install.md")
	check(t, err)
	named := releaseFile.FindAllString(string(text), -1)
	for _, name := range named {
		if _, err := os.Stat(filepath.Join(dist(t), strings.ReplaceAll(name, "VERSION", version(t)))); err != nil {
			t.Error(err)
		}
	}
	if len(named) < 13 {
		t.Errorf("only %q are named", named)
	}
}

// The commands run in a folder that has the files of the release and nothing else.
func TestTheInstallGuidesCommandsWork(t *testing.T) {
	onLinuxAMD64(t)
	needs(t, "npm", "bash")
	folder := t.TempDir()
	check(t, os.CopyFS(folder, os.DirFS(dist(t))))
	ran := 0
	for _, block := range installFence.FindAllStringSubmatch(guide(t), -1) {
		for command := range strings.Lines(block[1]) {
			command = strings.TrimSpace(command)
			if elsewhere.MatchString(command) {
				continue
			}
			ran++
			cmd := exec.CommandContext(t.Context(), "bash", "-c", command)
			cmd.Dir = folder
			if strings.HasPrefix(command, "go install") {
				cmd.Dir = ".."
			}
			cmd.Env = append(os.Environ(), "HOME="+folder, "GOBIN="+filepath.Join(folder, "bin"), "GOPATH="+goEnv(t, "GOPATH"), "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", command, err, out)
			}
		}
	}
	for _, installed := range []string{".local/bin/" + program, "mine/node_modules/.bin/" + program, "bin/" + program} {
		run(t, folder, filepath.Join(folder, installed), "--version")
	}
	if ran < 6 {
		t.Errorf("only %d commands", ran)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, ".", "go", "env", name))
}
