package testutil

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// MarkVariable marks the processes of a test. Its name is on the list of what
// every server inherits, so that the program hands it on to all that it starts.
const MarkVariable = "XDG_TEST_MARK"

// orphanTime is how long what was killed at the end may take to be gone.
const orphanTime = 10 * time.Second

// Marker finds the processes of one test by a variable of their environment,
// whatever they are called and whoever their parent is by now.
type Marker struct {
	tb      testing.TB
	value   string
	timeout time.Duration
}

// Mark returns the marker of a test, and fails the test if a marked process is
// alive at its end. Cleanups run last first: mark before anything is started.
func Mark(tb testing.TB) *Marker {
	tb.Helper()
	return newMarker(tb, orphanTime)
}

// MarkAll marks everything that the test starts with the environment of this
// process.
func MarkAll(tb testing.TB) {
	tb.Helper()
	tb.Setenv(MarkVariable, Mark(tb).Value())
}

func newMarker(tb testing.TB, patient time.Duration) *Marker {
	tb.Helper()
	m := &Marker{tb, rand.Text(), patient}
	tb.Cleanup(m.killAlive)
	return m
}

// Value is the value of MarkVariable.
func (m *Marker) Value() string { return m.value }

// Entry is the variable as it stands in an environment.
func (m *Marker) Entry() string { return MarkVariable + "=" + m.value }

// Alive returns the marked processes. Zombies have no environment and so do not
// count; where there is no /proc there is none.
func (m *Marker) Alive() []int { return processesWith(m.Entry()) }

// killAlive fails the test if a marked process stays, and kills those that do.
func (m *Marker) killAlive() {
	m.tb.Helper()
	for end := time.Now().Add(m.timeout); len(m.Alive()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			break
		}
	}
	for _, pid := range m.Alive() {
		m.tb.Errorf("alive at the end of the test: %s", describeProcess(pid))
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended meanwhile
		}
	}
}

func describeProcess(pid int) string {
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return fmt.Sprintf("process %d: %.300q", pid, strings.ReplaceAll(strings.TrimSuffix(string(args), "\x00"), "\x00", " "))
}
