package app_test

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

// patience bounds every wait. It is generous: no test is about time.
const patience = time.Minute

// until waits for what must come to be, and fails the test with what is in its
// way when it does not.
func until(t *testing.T, obstacle func() string) bool {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		left := obstacle()
		if left == "" {
			return true
		}
		if time.Now().After(end) {
			t.Errorf("after %v: %s", patience, left)
			return false
		}
	}
}

// descriptors returns what files this process has open, sorted.
func descriptors() []string {
	open := make(map[string]string)
	files, _ := filepath.Glob("/proc/self/fd/*")
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil { // Glob's own is closed
			open[filepath.Base(file)] = target
		}
	}
	var list []string
	for _, number := range slices.Sorted(maps.Keys(open)) {
		list = append(list, number+" "+open[number])
	}
	return list
}

// openPoller has the runtime open what it opens with the first pipe and keeps.
func openPoller(t *testing.T) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = r.Close(), w.Close()
}

// heapInUse returns the bytes of the heap that are in use once what is garbage
// has been collected.
func heapInUse() uint64 {
	runtime.GC() // pools are emptied by the second one
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
