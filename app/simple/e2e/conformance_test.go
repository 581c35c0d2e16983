package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/testutil"
)

// The subject of a scenario of the suite, and so the requirement.
const (
	ofTools  = "tools"  // direct and through must be the same, details included, and pass
	ofHTTP   = "http"   // the bridge's side: the verdicts must be the same, and pass
	ofOthers = "others" // out of scope: the aggregator must refuse the method
)

// conformanceScenarios are the server scenarios of the suite, all of them.
var conformanceScenarios = []struct{ name, about string }{
	{"server-initialize", ofTools},
	{"ping", ofTools},
	{"tools-list", ofTools},
	{"tools-call-simple-text", ofTools},
	{"tools-call-image", ofTools},
	{"tools-call-audio", ofTools},
	{"tools-call-embedded-resource", ofTools},
	{"tools-call-mixed-content", ofTools},
	{"tools-call-error", ofTools},
	{"tools-call-with-progress", ofTools},
	{toolsCallWithLogging, ofTools},
	{"tools-call-sampling", ofTools},
	{"tools-call-elicitation", ofTools},
	{"elicitation-sep1034-defaults", ofTools},
	{"elicitation-sep1330-enums", ofTools},
	{"json-schema-2020-12", ofTools},
	{"server-sse-multiple-streams", ofHTTP},
	{"server-sse-polling", ofHTTP},
	{"dns-rebinding-protection", ofHTTP},
	{"logging-set-level", ofOthers},
	{"completion-complete", ofOthers},
	{"resources-list", ofOthers},
	{"resources-read-text", ofOthers},
	{"resources-read-binary", ofOthers},
	{"resources-templates-read", ofOthers},
	{"resources-subscribe", ofOthers},
	{"resources-unsubscribe", ofOthers},
	{"prompts-list", ofOthers},
	{"prompts-get-simple", ofOthers},
	{"prompts-get-with-args", ofOthers},
	{"prompts-get-embedded-resource", ofOthers},
	{"prompts-get-with-image", ofOthers},
}

// toolsCallWithLogging sets a level before it calls, which the aggregator refuses.
// So it runs once more by itself: docs/conformance.md says how.
const toolsCallWithLogging = "tools-call-with-logging"

// conformanceResults are the checks that the suite made, by scenario.
type conformanceResults map[string][]conformanceCheck

// conformanceCheck is an element of checks.json.
type conformanceCheck struct {
	ID, Status, ErrorMessage string
	Details                  json.RawMessage
}

func TestConformance(t *testing.T) {
	testutil.NPM(t, "node_modules", "@modelcontextprotocol", "conformance") // or skip before building
	testutil.MarkAll(t)
	started := time.Now()
	program, reference := testutil.Build(t, stdioProgram), testutil.Build(t, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
	config := conformanceConfig(t, reference)
	direct := conformance(t, []string{"--", reference}, "--suite", "all")
	through := conformance(t, []string{"--prefix", "ref:", "--", program, "--config", config}, "--suite", "all")
	for _, results := range []conformanceResults{direct, through} {
		everyScenario(t, results)
	}
	if t.Failed() {
		return
	}
	expectRefused(t, toolsCallWithLogging, through)

	logging := []string{"node", testutil.NPM(t, "conformance", "logging-server.mjs")}
	config = conformanceConfig(t, logging...)
	maps.Copy(direct, conformance(t, append([]string{"--answer", "logging/setLevel", "--"}, logging...), "--scenario", toolsCallWithLogging))
	maps.Copy(through, conformance(t, []string{"--answer", "logging/setLevel", "--prefix", "ref:", "--", program, "--config", config},
		"--scenario", toolsCallWithLogging))

	for _, s := range conformanceScenarios {
		if s.about == ofOthers {
			expectRefused(t, s.name, through)
		} else {
			expectSame(t, s.name, s.about == ofTools, direct, through)
		}
	}
	tables := conformanceTables(t, reference, direct, through)
	t.Logf("%s\n%.0f s", tables, time.Since(started).Seconds())
	compareTables(t, tables)
}

// everyScenario fails the test unless the suite ran the scenarios listed above,
// no fewer and no more.
func everyScenario(t *testing.T, results conformanceResults) {
	t.Helper()
	var names []string
	for _, s := range conformanceScenarios {
		names = append(names, s.name)
		if len(results[s.name]) == 0 {
			t.Errorf("scenario %s is missing from the run", s.name)
		}
	}
	for name := range results {
		if !slices.Contains(names, name) {
			t.Errorf("scenario %s is new: say in conformanceScenarios what it is about", name)
		}
	}
}

// expectSame compares the checks of one scenario. Without details, which hold what
// the suite received, only the verdicts have to agree.
func expectSame(t *testing.T, scenario string, details bool, direct, through conformanceResults) {
	t.Helper()
	sides := make([]string, 0, 2)
	for _, results := range []conformanceResults{direct, through} {
		var text strings.Builder
		for _, c := range results[scenario] {
			fmt.Fprintf(&text, "%s %s %s", c.ID, c.Status, c.ErrorMessage)
			if details {
				fmt.Fprintf(&text, " %s", c.Details)
			}
			text.WriteByte('\n')
			if c.Status == "FAILURE" {
				t.Errorf("%s: %s: %s", scenario, c.ID, c.ErrorMessage)
			}
		}
		sides = append(sides, text.String())
	}
	if sides[0] != sides[1] {
		t.Errorf("%s differs:\n direct %s\nthrough %s", scenario, testutil.Shorten(sides[0]), testutil.Shorten(sides[1]))
	}
}

// expectRefused fails the test unless the scenario stopped at a method that the
// aggregator does not have.
func expectRefused(t *testing.T, scenario string, through conformanceResults) {
	t.Helper()
	checks := through[scenario]
	if len(checks) != 1 || refusedMethod(checks[0]) == "" {
		t.Errorf("%s: want one check, failed by a refused method: %+v", scenario, checks)
	}
}

func refusedMethod(c conformanceCheck) string {
	_, method, _ := strings.Cut(c.ErrorMessage, "MCP error -32601: Method not found: ")
	return method
}

func conformanceTables(t *testing.T, reference string, direct, through conformanceResults) string {
	t.Helper()
	build, err := buildinfo.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	var suite struct{ Version string }
	text, err := os.ReadFile(testutil.NPM(t, "node_modules", "@modelcontextprotocol", "conformance", "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &suite)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "`@modelcontextprotocol/conformance` %s; reference server `%s` %s.\n", suite.Version, build.Path, build.Main.Version)
	for _, table := range []struct{ about, title string }{
		{ofTools, "Tools, and what tools use"}, {ofHTTP, "HTTP, which is the bridge's"},
	} {
		fmt.Fprintf(&out, "\n### %s\n\n| scenario | direct | through the aggregator |\n|---|---|---|\n", table.title)
		for _, s := range conformanceScenarios {
			if s.about == table.about {
				fmt.Fprintf(&out, "| %s | %s | %s |\n", s.name, summary(direct[s.name]), summary(through[s.name]))
			}
		}
	}
	out.WriteString("\n### Out of scope\n\n| scenario | refused with -32601 |\n|---|---|\n")
	for _, s := range conformanceScenarios {
		if s.about == ofOthers {
			fmt.Fprintf(&out, "| %s | `%s` |\n", s.name, refusedMethod(through[s.name][0]))
		}
	}
	return out.String()
}

// summary counts verdicts: "5 passed", "2 warnings".
func summary(checks []conformanceCheck) string {
	var parts []string
	for _, s := range []struct{ status, word string }{{"SUCCESS", "passed"}, {"FAILURE", "failed"}, {"WARNING", "warnings"}} {
		n := 0
		for _, c := range checks {
			if c.Status == s.status {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.word))
		}
	}
	return strings.Join(parts, ", ")
}

// compareTables compares the part of docs/conformance.md between its marks with the run,
// or rewrites it.
func compareTables(t *testing.T, tables string) {
	t.Helper()
	const begin, end = "<!-- of the last run; go test ./app/simple/e2e -run Conformance -update -->\n", "<!-- end of it -->\n"
	path := filepath.Join("..", "..", "..", "docs", "conformance.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	kept, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has lost its marks", path)
	}
	switch {
	case kept == tables:
	case *update && !t.Failed():
		if err := os.WriteFile(path, []byte(before+begin+tables+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not say what the run gave; look at it and run: go test ./app/simple/e2e -run Conformance -update", path)
	}
}

// conformanceConfig writes a config with one server, whose key is ref.
func conformanceConfig(t *testing.T, command ...string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"ref": map[string]any{
		"command": command[0], "args": command[1:], "env": map[string]string{"API_KEY": testutil.Canary},
	}}})
	path := filepath.Join(t.TempDir(), "config.json")
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// conformance runs the suite against a bridge with these arguments.
func conformance(t *testing.T, bridge []string, suite ...string) conformanceResults {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), interopTime)
	defer cancel()
	url, stop := startBridge(ctx, t, bridge)
	defer stop()
	out := t.TempDir()
	run := exec.CommandContext(ctx, "node", append([]string{
		"--import", "./suite.mjs", testutil.NPM(t, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
		"server", "--url", url, "--output-dir", out,
	}, suite...)...)
	run.Dir = testutil.NPM(t, "conformance")
	if _, err := run.StdinPipe(); err != nil { // open until the suite ends, or this process is gone
		t.Fatal(err)
	}
	text, err := run.CombinedOutput()
	var exit *exec.ExitError // it says that scenarios failed, as those out of scope do
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("suite: %v: %s", err, text)
	}
	results := conformanceResults{}
	folder := regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[-\d]+Z$`) // server-SCENARIO-TIME
	entries, err := os.ReadDir(out)
	for _, entry := range entries {
		if name := folder.FindStringSubmatch(entry.Name()); name != nil {
			results[name[1]] = readChecks(t, filepath.Join(out, entry.Name(), "checks.json"), url)
		}
	}
	if err != nil || len(results) == 0 {
		t.Fatalf("suite: no results: %v: %s", err, text)
	}
	return results
}

// readChecks reads a checks.json, without the address, which differs between runs.
func readChecks(t *testing.T, path, url string) (checks []conformanceCheck) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(bytes.ReplaceAll(text, []byte(url), []byte("http://bridge/mcp")), &checks)
	}
	if err != nil {
		t.Fatal(err)
	}
	return checks
}

// startBridge starts a bridge and returns its address. It ends, and all that it
// started, when stop closes its standard input, or when this process is gone.
func startBridge(ctx context.Context, t *testing.T, args []string) (url string, stop func()) {
	t.Helper()
	var stderr testutil.Buffer
	bridge := exec.CommandContext(ctx, "node", append([]string{testutil.NPM(t, "conformance", "bridge.mjs")}, args...)...)
	bridge.Stderr = testutil.Printed(&stderr)
	bridge.WaitDelay = 10 * time.Second
	stdin, err := bridge.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := bridge.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := bridge.Start(); err != nil {
		t.Fatal(err)
	}
	url, readErr := bufio.NewReader(stdout).ReadString('\n')
	stop = func() {
		_ = stdin.Close() // it may be gone already; Wait tells
		if err := bridge.Wait(); err != nil || t.Failed() {
			t.Errorf("bridge: %v: %s", err, testutil.Shorten(stderr.String()))
		}
	}
	if readErr != nil {
		stop()
		t.Fatalf("bridge: no address: %v", readErr)
	}
	return strings.TrimSpace(url), stop
}
