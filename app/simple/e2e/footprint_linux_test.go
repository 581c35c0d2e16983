package e2e_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// waitTimeout bounds every wait. It is long, because no test measures time.
const waitTimeout = time.Minute

// waitUntil waits until obstacle returns "". After a minute the test fails with what it
// returns.
func waitUntil(t *testing.T, obstacle func() string) bool {
	t.Helper()
	for end := time.Now().Add(waitTimeout); ; time.Sleep(5 * time.Millisecond) {
		left := obstacle()
		if left == "" {
			return true
		}
		if time.Now().After(end) {
			t.Errorf("after %v: %s", waitTimeout, left)
			return false
		}
	}
}

// descriptors returns the open files of this process, sorted.
func descriptors() []string {
	open := make(map[string]string)
	files, _ := filepath.Glob("/proc/self/fd/*")
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil { // the one of Glob is closed
			open[filepath.Base(file)] = target
		}
	}
	var list []string
	for _, number := range slices.Sorted(maps.Keys(open)) {
		list = append(list, number+" "+open[number])
	}
	return list
}

// openPoller makes the runtime open its poller, whose descriptors stay open.
func openPoller(t *testing.T) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = r.Close(), w.Close()
}

// heapInUse returns the bytes of the heap in use after a garbage collection.
func heapInUse() uint64 {
	runtime.GC() // the second collection empties pools
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// residentKB returns the resident set of this process.
func residentKB() (size int) {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	_, _ = fmt.Sscan(rest, &size)
	return size
}
