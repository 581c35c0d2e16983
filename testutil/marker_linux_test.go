package testutil_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/testutil"
)

// judged is a test that may fail without failing the one that judges it.
type judged struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (j *judged) Errorf(format string, _ ...any) { j.errors = append(j.errors, format) }

func (j *judged) Cleanup(f func()) { j.cleanups = append(j.cleanups, f) }

func (j *judged) end() {
	for _, f := range slices.Backward(j.cleanups) {
		f()
	}
}

// sleeper starts a process that sleeps, marked by m.
func sleeper(t *testing.T, m *testutil.Marker) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sleep", "120")
	cmd.Env = append(os.Environ(), m.Entry())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !slices.Equal(m.Alive(), []int{cmd.Process.Pid}) { // its environment is there when it has become sleep
		time.Sleep(time.Millisecond)
	}
	return cmd
}

func TestAProcessThatIsAliveAtTheEndFailsTheTest(t *testing.T) {
	j := &judged{TB: t}
	cmd := sleeper(t, testutil.MarkFor(j, 50*time.Millisecond))
	j.end()
	if len(j.errors) != 1 {
		t.Errorf("failures: %q", j.errors)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the process ended with %v", err)
	}
}

func TestAnOrphanFailsTheTest(t *testing.T) {
	j := &judged{TB: t}
	m := testutil.MarkFor(j, 50*time.Millisecond)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "sleep 120 >/dev/null 2>&1 & echo $!")
	cmd.Env = append(os.Environ(), m.Entry())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	j.end()
	if len(j.errors) != 1 {
		t.Errorf("failures: %q", j.errors)
	}
	for len(m.Alive()) > 0 { // it has been killed
		time.Sleep(time.Millisecond)
	}
	if strings.TrimSpace(string(out)) == "" {
		t.Error("nothing was started")
	}
}

func TestAProcessThatEndsInTimeIsNoFailure(t *testing.T) {
	j := &judged{TB: t}
	cmd := sleeper(t, testutil.Mark(j))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	j.end() // it is a zombie by then, or will soon be
	if len(j.errors) != 0 {
		t.Errorf("failures: %q", j.errors)
	}
	_ = cmd.Wait() // it was killed
}

func TestOnlyTheMarkedProcessesOfATestAreFound(t *testing.T) {
	one, other := testutil.Mark(t), testutil.Mark(t)
	cmd := sleeper(t, one)
	if got := other.Alive(); len(got) > 0 {
		t.Errorf("the other test has %v", got)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if got := one.Alive(); len(got) > 0 {
		t.Errorf("alive after its end: %v", got)
	}
}
