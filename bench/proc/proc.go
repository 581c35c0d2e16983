// Package proc reads process statistics from Linux's /proc.
package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// CPU returns the processor time used by the threads of a process, from the first field of
// schedstat in nanoseconds: stat only has ticks of 10 ms.
func CPU(pid int) (sum time.Duration, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0, err
	}
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		used, _, _ := strings.Cut(string(text), " ")
		nanoseconds, _ := strconv.Atoi(used)
		sum += time.Duration(nanoseconds)
	}
	return sum, nil
}

// Memory is the resident memory of a process and its peak since ForgetPeak, in bytes.
type Memory struct{ Now, Peak int }

// MemoryOf returns the memory of a process.
func MemoryOf(pid int) (m Memory, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		kilobytes, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		switch name {
		case "VmRSS":
			m.Now = kilobytes << 10
		case "VmHWM":
			m.Peak = kilobytes << 10
		}
	}
	return m, nil
}

// ForgetPeak resets the peak to the current value (proc(5): clear_refs).
func ForgetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}
