package report

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Machine describes the environment of a run.
type Machine struct {
	Date   string `json:"date"`
	Commit string `json:"commit"`
	Go     string `json:"go"`
	Cores  int    `json:"cores"`
	CPU    string `json:"cpu"`
	System string `json:"system"`
}

// ThisMachine describes the current environment.
func ThisMachine() Machine {
	m := Machine{
		Date: time.Now().UTC().Format(time.DateOnly), Go: runtime.Version(), Cores: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH, CPU: processor(),
	}
	if commit, err := exec.Command("git", "describe", "--always", "--dirty").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(commit))
	} else if info, ok := debug.ReadBuildInfo(); ok {
		m.Commit = info.Main.Version
	}
	return m
}

// processor returns the name of the processor, or "" if it is unknown.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // exists only on Linux
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
