package testutil

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// processesWith returns the ids of the other processes that were started with entry in
// their environment.
func processesWith(entry string) (pids []int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		environ, _ := os.ReadFile(path) // empty if the process has exited
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		if pid != os.Getpid() && slices.Contains(strings.Split(string(environ), "\x00"), entry) {
			pids = append(pids, pid)
		}
	}
	return pids
}
