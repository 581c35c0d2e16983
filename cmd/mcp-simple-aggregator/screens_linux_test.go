package main_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcp-aggregator/app/check"
	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/screen"
)

var updateScreens = flag.Bool("update", false, "write the screens of check in docs instead of comparing")

// The screens in the documents show what check prints for fake servers, apart from times
// and the folder of the servers.
func TestTheScreensInTheDocumentsAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("fakechild")
	noError(t, err)
	for name, servers := range map[string]string{
		"check": fmt.Sprintf(`"files":{"command":%[1]q,"args":["-tools","@files.json"]},"memory":{"command":%[1]q,"args":["-tools","@memory.json"]}`, program),
		"check-findings": `"github":{"command":"fakechild","args":["-tools","@github.json","-secret","${GITHUB_TOKEN}"]},` +
			`"search":{"command":"fakechild","args":["-tools","@search.json"]},` +
			`"postgres":{"command":"fakechild","args":["-when","initialize","-exit","1"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := reportOn(t, servers)
			var text strings.Builder
			const columns = 100
			noError(t, report.Print(&text, check.Screen{Width: columns, Color: true}))
			for line := range strings.Lines(text.String()) {
				if len(line) > columns+len("\n")+6*len("\x1b[31m\x1b[0m") {
					t.Errorf("a line is too long: %q", line)
				}
			}
			compare(t, filepath.Join("../../docs", name+".svg"),
				screen.SVG("mcp-simple-aggregator check --config mcp.json", text.String(), columns))
		})
	}
}

// reportOn runs check --json and replaces in its report what depends on this machine.
func reportOn(t *testing.T, servers string) check.Report {
	t.Helper()
	dir := t.TempDir()
	lists, err := filepath.Glob("testdata/screens/*.json")
	noError(t, err)
	for _, list := range lists {
		text, err := os.ReadFile(list)
		noError(t, err)
		noError(t, os.WriteFile(filepath.Join(dir, filepath.Base(list)), []byte(strings.ReplaceAll(string(text), "\n", "")), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "mcp-simple-aggregator", "check", "--json", "--config", writeConfig(t, dir, servers))
	cmd.Dir = dir
	cmd.Env = append(environ(testutil.Mark(t)), "GITHUB_TOKEN=hunter22")
	out, err := cmd.Output()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	testutil.Record(string(out))
	plain := served.ReplaceAllString(string(out), `\"/home/you/.nvm/versions/node/v24.1.0/bin/npx$2`)
	plain = strings.ReplaceAll(plain, "fakechild", "npx")
	var report check.Report
	noError(t, json.Unmarshal([]byte(plain), &report))
	findings := report.Findings
	report.Findings = nil
	for _, f := range findings {
		if !strings.Contains(f.What, canaryName) {
			report.Findings = append(report.Findings, f)
		}
	}
	for i := range report.Servers {
		if report.Servers[i].ReadyMs != nil {
			report.Servers[i].ReadyMs = new(int64(412 + 97*i))
		}
	}
	return report
}

func compare(t *testing.T, file, want string) {
	t.Helper()
	if *updateScreens {
		noError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(file)
	noError(t, err)
	if string(got) != want {
		t.Errorf("%s is not what check prints; go test ./cmd/mcp-simple-aggregator -run Screens -update writes it", file)
	}
}
