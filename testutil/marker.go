package testutil

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// MarkVariable marks the processes of a test. Every server inherits variables with this
// prefix, so the program passes it to all processes that it starts.
const MarkVariable = "XDG_TEST_MARK"

// orphanTime is how long processes that were killed at the end may take to exit.
const orphanTime = 10 * time.Second

// Marker finds the processes of one test by an environment variable, regardless of their
// names and parents.
type Marker struct {
	tb      testing.TB
	value   string
	timeout time.Duration
}

// Mark returns the marker of a test, and fails the test if a marked process is alive at
// its end. Cleanups run in reverse order, so call it before starting anything.
func Mark(tb testing.TB) *Marker {
	tb.Helper()
	return newMarker(tb, orphanTime)
}

// MarkAll marks all processes that the test starts with the environment of this process.
func MarkAll(tb testing.TB) {
	tb.Helper()
	tb.Setenv(MarkVariable, Mark(tb).Value())
}

func newMarker(tb testing.TB, timeout time.Duration) *Marker {
	tb.Helper()
	m := &Marker{tb, rand.Text(), timeout}
	tb.Cleanup(m.killAlive)
	return m
}

// Value returns the value of MarkVariable.
func (m *Marker) Value() string { return m.value }

// Entry returns the variable in the form of os.Environ.
func (m *Marker) Entry() string { return MarkVariable + "=" + m.value }

// Alive returns the ids of the marked processes. Zombies have no environment and do not
// count. Without /proc it returns none.
func (m *Marker) Alive() []int { return processesWith(m.Entry()) }

// killAlive waits for the marked processes to exit. It fails the test for each that does
// not, and kills it.
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
			_ = p.Kill() // it may have exited meanwhile
		}
	}
}

func describeProcess(pid int) string {
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return fmt.Sprintf("process %d: %.300q", pid, strings.ReplaceAll(strings.TrimSuffix(string(args), "\x00"), "\x00", " "))
}
