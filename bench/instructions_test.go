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

// recorded holds the user-space instructions that cachegrind counted with go1.26 on
// amd64. Update it when a change makes something cheaper.
//
// The benchmarks of wire use one goroutine: their counts vary by 1 %, even on a busy
// machine. Those of a whole call, with 100 bytes in each direction through the program,
// vary by 2 % on an idle machine and drop on a busy one, where each read returns more
// lines: this one is a coarse guard for everything the others do not cover.
var recorded = map[string]int{
	"Scan/100B":       2_890,
	"Scan/10KB-mixed": 219_800,
	"Splice":          643,
	"a call":          20_000,
}

const (
	fineTolerance   = 1.02
	coarseTolerance = 1.06
)

func TestScanAndSpliceTakeNoMoreInstructionsThanRecorded(t *testing.T) {
	needValgrind(t)
	program := filepath.Join(t.TempDir(), "wire.test")
	command(t, "..", "go", "test", "-c", "-o", program, "./modules/wire")
	for name, want := range recorded {
		if name == "a call" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			run := func(n int) int {
				return instructions(t, nil, program, "-test.run", "^$", "-test.bench", "^Benchmark"+strings.ReplaceAll(name, "/", "$/^")+"$", "-test.benchtime", fmt.Sprint(n, "x"))
			}
			few, many := 1000, 1000+20_000_000/want // the difference excludes startup and shutdown
			compare(t, (run(many)-run(few))/(many-few), want, fineTolerance)
		})
	}
}

func TestACallTakesNoMoreInstructionsThanRecorded(t *testing.T) {
	needValgrind(t)
	folder := t.TempDir()
	command(t, "..", "go", "build", "-o", folder+"/", "./cmd/mcp-simple-aggregator")
	command(t, ".", "go", "build", "-o", folder+"/", "./child")
	config := filepath.Join(folder, "config.json")
	text := fmt.Sprintf(`{"mcpServers":{"s0":{"command":%q}}}`, filepath.Join(folder, "child"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(n int) int {
		return instructions(t, func(in io.Writer, out *bufio.Reader) { talk(t, in, out, n) },
			filepath.Join(folder, "mcp-simple-aggregator"), "--config", config)
	}
	const few, many = 1000, 4000
	compare(t, (run(many)-run(few))/(many-few), recorded["a call"], coarseTolerance)
}

func compare(t *testing.T, got, want int, tolerance float64) {
	t.Helper()
	t.Logf("%d instructions, recorded %d", got, want)
	if float64(got) > float64(want)*tolerance {
		t.Errorf("%d instructions, more than the %d recorded", got, want)
	}
}

// needValgrind skips the test on systems where the counts would differ.
func needValgrind(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skipf("recorded with go1.26 on amd64, not %s on %s", runtime.Version(), runtime.GOARCH)
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("valgrind is missing: CI must count the instructions")
		}
		t.Skip("valgrind is missing")
	}
}

// command returns a command of the go tool in a module's folder. Programs are built as
// users run them, without the race detector.
func command(t *testing.T, folder, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

var counted = regexp.MustCompile(`I\s+refs:\s+([\d,]+)`)

// instructions returns the number of instructions that a program executes while the test
// talks to it. Valgrind does not support signals between Go's threads, spinning on a second
// processor would add noise, and so would garbage collection.
func instructions(t *testing.T, talk func(io.Writer, *bufio.Reader), argv ...string) int {
	t.Helper()
	argv = append([]string{"valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"}, argv...)
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1", "GOGC=off")
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
	if talk != nil {
		talk(in, bufio.NewReader(out))
	}
	_ = in.Close()                  // Wait reports errors
	_, _ = io.Copy(io.Discard, out) // Wait reports errors
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
