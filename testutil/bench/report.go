package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"
)

// report is what one run measured. Its exported members are the JSON file.
type report struct {
	Machine    machineFigures `json:"machine"`
	Calls      []callFigures  `json:"calls"`
	Memory     memoryFigures  `json:"memory"`
	Start      startFigures   `json:"start"`
	Lists      []listFigures  `json:"lists"`
	BesideSlow float64        `json:"besideSlow"` // latency while a slow call is open, over that without
	Targets    []target       `json:"targets"`

	calls table
}

type machineFigures struct {
	Date   string `json:"date"`
	Commit string `json:"commit"`
	Go     string `json:"go"`
	Cores  int    `json:"cores"`
	CPU    string `json:"cpu"`
	System string `json:"system"`
}

// callFigures are the medians of the rounds; times in microseconds.
type callFigures struct {
	Subject   string  `json:"subject"`
	Size      int     `json:"size"` // bytes
	Flight    int     `json:"flight"`
	PerCall   float64 `json:"perCall"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	CPU       float64 `json:"cpu"` // of the program in the middle, a call
	OverRelay float64 `json:"overRelay"`
}

// memoryFigures are in megabytes (2^20 bytes).
type memoryFigures struct {
	Idle         float64 `json:"idle"`       // with 12 children
	AfterCalls   float64 `json:"afterCalls"` // after 100,000 calls
	PeakOfHuge   float64 `json:"peakOfHuge"` // during a result of 64 MB
	AfterHuge    float64 `json:"afterHuge"`
	HugeOverSize float64 `json:"hugeOverSize"` // what the result cost at the peak, over its size
}

// startFigures are in milliseconds from exec.
type startFigures struct {
	Empty             float64            `json:"empty"`       // an empty Go program, from start to end
	Initialized       float64            `json:"initialized"` // to the answer to initialize
	Complete          map[string]float64 `json:"complete"`    // to a complete list of tools
	TwelveOverSlowest float64            `json:"twelveOverSlowest"`
}

type listFigures struct {
	Tools        int     `json:"tools"`
	Milliseconds float64 `json:"milliseconds"`
	Ratio        float64 `json:"overDirect"`
}

func machine() machineFigures {
	m := machineFigures{
		Date: time.Now().UTC().Format(time.DateOnly), Go: runtime.Version(), Cores: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if commit, err := exec.Command("git", "describe", "--always", "--dirty").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(commit))
	} else if info, ok := debug.ReadBuildInfo(); ok {
		m.Commit = info.Main.Version
	}
	text, _ := os.ReadFile("/proc/cpuinfo") // without it the name is missing
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// sum fills in the figures of the calls and holds all against the targets.
func (r *report) sum() {
	for _, l := range loads {
		base := r.calls[l][bareRelay]
		for _, name := range []string{direct, bareRelay, aggregator1, aggregator12, typedProxy} {
			c := r.calls[l][name]
			r.Calls = append(r.Calls, callFigures{
				Subject: name, Size: l.Size, Flight: l.Flight,
				PerCall: microseconds(median(c.perCall)), P50: microseconds(median(c.p50)), P99: microseconds(median(c.p99)),
				CPU: microseconds(c.cpuPerCall()), OverRelay: c.against(base),
			})
		}
	}
	r.hold()
}

func (r *report) print(w io.Writer) {
	r.sum()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "bytes\tat once\t\tper call µs\tp50 µs\tp99 µs\tcpu µs\tover relay\t")
	for _, c := range r.Calls {
		fmt.Fprintf(table, "%d\t%d\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t\n", c.Size, c.Flight, c.Subject, c.PerCall, c.P50, c.P99, c.CPU, c.OverRelay)
	}
	_ = table.Flush() // of standard output nothing more can be said
	fmt.Fprintf(w, "\nmemory, MB: %+v\nstart, ms: %+v\nlists: %+v\nbeside a slow call: %.2f\n\n", r.Memory, r.Start, r.Lists, r.BesideSlow)
	table = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, t := range r.Targets {
		fmt.Fprintf(table, "%s\t%s\t%.2f\t%s\n", t.What, t.Limit, t.Value, t.verdict())
	}
	_ = table.Flush() // of standard output nothing more can be said
}
