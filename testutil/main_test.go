package testutil_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

// carelessVariable makes the careless test do what it is named for. It is set
// only for the process that runs that test alone.
const carelessVariable = "MCP_TESTUTIL_CARELESS"

func TestCareless(t *testing.T) {
	switch os.Getenv(carelessVariable) {
	case "prints a secret":
		testutil.Record("the password is " + testutil.Canary + ", keep it")
	case "leaves a goroutine":
		go func() { select {} }()
	case "fails and prints a secret":
		testutil.Record(testutil.Canary)
		t.Fail()
	}
}

func TestMainFailsForWhatTestsLeaveBehind(t *testing.T) {
	for careless, said := range map[string]string{
		"":                          "PASS",
		"prints a secret":           `a secret was printed 1 times; look for "hunter2" in` + "\n" + `  ... "the password is hunter2, keep it" ...`,
		"leaves a goroutine":        "found unexpected goroutines",
		"fails and prints a secret": "a secret was printed 1 times",
	} {
		t.Run(careless, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCareless$")
			cmd.Env = append(os.Environ(), carelessVariable+"="+careless)
			out, err := cmd.CombinedOutput()
			if (err != nil) != (careless != "") || !strings.Contains(string(out), said) {
				t.Errorf("ended with %v and said\n%s", err, out)
			}
		})
	}
}
