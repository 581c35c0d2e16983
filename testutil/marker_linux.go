package testutil

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// processesWith returns the processes, this one left out, whose environment
// began with entry in it.
func processesWith(entry string) (pids []int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		environ, _ := os.ReadFile(path) // a process that has ended has none
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		if pid != os.Getpid() && slices.Contains(strings.Split(string(environ), "\x00"), entry) {
			pids = append(pids, pid)
		}
	}
	return pids
}
