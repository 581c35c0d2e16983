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

// recorder is a testing.TB that records failures instead of failing the test.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (rec *recorder) Errorf(format string, _ ...any) { rec.errors = append(rec.errors, format) }

func (rec *recorder) Cleanup(f func()) { rec.cleanups = append(rec.cleanups, f) }

func (rec *recorder) runCleanups() {
	for _, f := range slices.Backward(rec.cleanups) {
		f()
	}
}

// sleeper starts a sleeping process that is marked by m.
func sleeper(t *testing.T, m *testutil.Marker) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sleep", "120")
	cmd.Env = append(os.Environ(), m.Entry())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !slices.Equal(m.Alive(), []int{cmd.Process.Pid}) { // its environment is visible after exec
		time.Sleep(time.Millisecond)
	}
	return cmd
}

func TestAProcessThatIsAliveAtTheEndFailsTheTest(t *testing.T) {
	rec := &recorder{TB: t}
	cmd := sleeper(t, testutil.MarkFor(rec, 50*time.Millisecond))
	rec.runCleanups()
	if len(rec.errors) != 1 {
		t.Errorf("failures: %q", rec.errors)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the process ended with %v", err)
	}
}

func TestAnOrphanFailsTheTest(t *testing.T) {
	rec := &recorder{TB: t}
	m := testutil.MarkFor(rec, 50*time.Millisecond)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "sleep 120 >/dev/null 2>&1 & echo $!")
	cmd.Env = append(os.Environ(), m.Entry())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	rec.runCleanups()
	if len(rec.errors) != 1 {
		t.Errorf("failures: %q", rec.errors)
	}
	for len(m.Alive()) > 0 { // it has been killed
		time.Sleep(time.Millisecond)
	}
	if strings.TrimSpace(string(out)) == "" {
		t.Error("nothing was started")
	}
}

func TestAProcessThatExitsInTimeDoesNotFailTheTest(t *testing.T) {
	rec := &recorder{TB: t}
	cmd := sleeper(t, testutil.Mark(rec))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rec.runCleanups() // it is a zombie by then, or soon
	if len(rec.errors) != 0 {
		t.Errorf("failures: %q", rec.errors)
	}
	_ = cmd.Wait() // it was killed
}

func TestAMarkerFindsOnlyItsOwnProcesses(t *testing.T) {
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
