package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// recorded is how many instructions the aggregator takes for a call of 100 bytes
// and its answer, one at a time, outside the kernel: as counted by cachegrind with
// go1.26 on amd64. Whoever makes it cheaper records the new count here.
const recorded = 20_000

// tolerance is how far a count may be above it. Counts of the same program differ
// by 2 %, whatever else the machine does.
const tolerance = 1.06

func TestACallTakesNoMoreInstructionsThanRecorded(t *testing.T) {
	if runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skipf("recorded with go1.26 on amd64, not %s on %s", runtime.Version(), runtime.GOARCH)
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("valgrind is missing: CI must count the instructions")
		}
		t.Skip("valgrind is missing")
	}
	folder := t.TempDir()
	build(t, folder, "mcp-aggregator/cmd/mcp-simple-aggregator", "mcp-aggregator/testutil/bench/child")
	const few, many = 1000, 4000 // their difference leaves out the start and the end
	each := (instructions(t, folder, many) - instructions(t, folder, few)) / (many - few)
	t.Logf("%d instructions a call", each)
	if float64(each) > recorded*tolerance {
		t.Errorf("%d instructions a call, more than the %d recorded", each, recorded)
	}
	if float64(each) < recorded/tolerance {
		t.Logf("fewer than the %d recorded: record them", recorded)
	}
}

// build builds programs as users run them: without the race detector.
func build(t *testing.T, folder string, packages ...string) {
	t.Helper()
	args := append([]string{"build", "-o", folder + string(filepath.Separator)}, packages...)
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

var counted = regexp.MustCompile(`I\s+refs:\s+([\d,]+)`)

// instructions returns how many the aggregator takes from start to end with that
// many calls. Signals between Go's threads are beyond valgrind, and a second
// processor would spin.
func instructions(t *testing.T, folder string, calls int) int {
	t.Helper()
	config := filepath.Join(folder, "config.json")
	text := fmt.Sprintf(`{"mcpServers":{"s0":{"command":%q}}}`, filepath.Join(folder, "child"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
		filepath.Join(folder, "mcp-simple-aggregator"), "--config", config)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	var report bytes.Buffer
	cmd.Stderr = &report
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	talk(t, in, bufio.NewReader(out), calls)
	_ = in.Close() // the end is looked at below
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, report.String())
	}
	found := counted.FindStringSubmatch(report.String())
	if found == nil {
		t.Fatalf("cachegrind counted nothing:\n%s", report.String())
	}
	n, err := strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// talk makes the calls one at a time.
func talk(t *testing.T, in io.Writer, out *bufio.Reader, calls int) {
	t.Helper()
	ask := func(line string) {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if answer, err := out.ReadString('\n'); err != nil || !strings.Contains(answer, `"result"`) {
			t.Fatalf("%s: %q, %v", line, answer, err)
		}
	}
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	argument := strings.Repeat("x", 100)
	for i := range calls {
		ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"s0:x100","arguments":{"a":%q}}}`, i+2, argument))
	}
}
