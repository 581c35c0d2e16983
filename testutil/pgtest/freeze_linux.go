package pgtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// Freeze stops all processes of the server, as on a machine that hangs: it accepts
// connections and answers nothing. thaw, or the end of the test, continues them.
func (s *Server) Freeze(tb testing.TB) (thaw func()) {
	tb.Helper()
	var stopped []int
	// Parents first, so that none can start others.
	for parents := []int{s.running.cmd.Process.Pid}; len(parents) > 0; parents = parents[1:] {
		for _, pid := range childPIDs(parents[0]) {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				tb.Error(err)
			}
			stopped, parents = append(stopped, pid), append(parents, pid)
		}
	}
	if len(stopped) == 0 {
		tb.Fatal("there is no server to stop")
	}
	thaw = sync.OnceFunc(func() {
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may have ended
		}
	})
	tb.Cleanup(thaw)
	return thaw
}

// childPIDs returns the processes that a process has started.
func childPIDs(parent int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is one
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// PID (NAME) STATE PARENT ..., where the name may hold anything.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}
