package testutil_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

// faultVariable selects what TestFaulty does wrong. It is set only for the process that
// runs that test alone.
const faultVariable = "MCP_TESTUTIL_FAULT"

func TestFaulty(t *testing.T) {
	switch os.Getenv(faultVariable) {
	case "prints a secret":
		testutil.Record("the password is " + testutil.Canary + ", keep it")
	case "leaves a goroutine":
		go func() { select {} }()
	case "fails and prints a secret":
		testutil.Record(testutil.Canary)
		t.Fail()
	}
}

func TestMainFailsForGoroutinesAndPrintedSecrets(t *testing.T) {
	for fault, said := range map[string]string{
		"":                          "PASS",
		"prints a secret":           `a secret was printed 1 times; look for "hunter2" in` + "\n" + `  ... "the password is hunter2, keep it" ...`,
		"leaves a goroutine":        "found unexpected goroutines",
		"fails and prints a secret": "a secret was printed 1 times",
	} {
		t.Run(fault, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFaulty$")
			cmd.Env = append(os.Environ(), faultVariable+"="+fault)
			out, err := cmd.CombinedOutput()
			if (err != nil) != (fault != "") || !strings.Contains(string(out), said) {
				t.Errorf("ended with %v and said\n%s", err, out)
			}
		})
	}
}
