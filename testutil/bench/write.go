package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// write writes the page, the charts and the figures into a folder.
func (r *report) write(folder string) error {
	figures, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "benchmarks.json"), append(figures, '\n'), 0o644); err != nil {
		return err
	}
	if err := r.draw(folder); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "benchmarks.md"), []byte(r.page()), 0o644)
}

const introduction = `# Benchmarks

` + "```sh\nmake bench\n```" + `

measures everything below in one run and writes this page. Absolute times are not
comparable between machines; ratios within one run are. The driver and the child
cost next to nothing: they read no more of a line than its id. *Direct* is the driver
and the child; *relay* has a program between them that only copies bytes, the floor
for one more process; *typed proxy* is what one would write with the typed client and
server of the Go SDK ([testutil/bench/typedproxy](../testutil/bench/typedproxy/main.go)).
Rounds are interleaved, and each figure is the median of the rounds.
`

// notes say why the targets that may be missed are.
const notes = `
## Where a target is missed

With 64 calls of 100 bytes at once the relay moves all 64 lines with one read and one
write, and looks at no byte: 0.2 to 0.5 µs a call. The aggregator's 1.5 to 1.9 µs are, by
its profile (perf, 2,400,000 calls): validating and locating in two lines 28 %, the
kernel 22 %, handling and copying 22 %, Go's scheduler 10 %, records of calls and their
collection 7 %, locks 6 %, the table of open calls 6 %. Scanning alone costs as much as
the relay's whole call, so the floor for processor time is about 3 times the relay's.
Using the records of calls again would give at most 7 %, slots in place of the table 6 %;
a profile for the compiler gave 3 to 5 % and made every clean build 25 s longer. All
three were left out as too little for what they cost.

A result of 1 MB, one at a time, is read and validated as a whole before it is
forwarded, for an invalid line is never forwarded; a relay passes the first bytes on while
the last are still being written. What is left above that are two scans of 0.13 ms. The
pipe to the client holds 1 MB. Pipes of 256 KB or 1 MB from every child took 5 % more
off, but a user may have 64 MB of pipes in all on Linux, so theirs stay at 64 KB.

Raw blocking pipes to the children, outside Go's poller, were measured both ways: within
the noise at every size. Go's files stay.
`

func (r *report) page() string {
	var b strings.Builder
	m := r.Machine
	b.WriteString(introduction)
	fmt.Fprintf(&b, "\n%s, commit %s, %s, %s, %d cores (%s).\n", m.Date, m.Commit, m.Go, m.System, m.Cores, m.CPU)
	b.WriteString("\n## Targets\n\n| what | target | measured | |\n|---|---|---|---|\n")
	for _, t := range r.Targets {
		fmt.Fprintf(&b, "| %s | %s | %.2f | %s |\n", t.What, t.Limit, t.Value, t.verdict())
	}
	b.WriteString("\n## Calls\n\n![time per call](benchmarks-calls.svg)\n\n" +
		"| bytes | at once | | µs a call | p50 µs | p99 µs | CPU µs | over relay |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range r.Calls {
		fmt.Fprintf(&b, "| %d | %d | %s | %.1f | %.1f | %.1f | %.1f | %.2f |\n",
			c.Size, c.Flight, c.Subject, c.PerCall, c.P50, c.P99, c.CPU, c.OverRelay)
	}
	fmt.Fprintf(&b, "\nCPU is that of the program in the middle (of the child, for *direct*). A call while another\n"+
		"takes two seconds: %.2f times its latency alone.\n", r.BesideSlow)
	b.WriteString(r.startPage())
	b.WriteString(notes)
	return b.String()
}

func (r *report) startPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Start\n\n![from exec to an answer](benchmarks-start.svg)\n\n| from exec to | ms |\n|---|---|\n"+
		"| the end of an empty Go program | %.1f |\n| initialize answered | %.1f |\n", r.Start.Empty, r.Start.Initialized)
	for _, name := range append(slices.Clip(startCases), oneSlow) {
		fmt.Fprintf(&b, "| the tools of %s | %.1f |\n", name, r.Start.Complete[name])
	}
	b.WriteString("\n## Lists\n\n| tools | ms | over a direct child's |\n|---|---|---|\n")
	for _, l := range r.Lists {
		fmt.Fprintf(&b, "| %d | %.2f | %.2f |\n", l.Tools, l.Milliseconds, l.Ratio)
	}
	fmt.Fprintf(&b, "\n## Memory\n\n| resident | MB |\n|---|---|\n| idle, 12 children | %.1f |\n| after 100,000 calls | %.1f |\n"+
		"| at the peak of a result of 64 MB | %.1f |\n| a second later | %.1f |\n",
		r.Memory.Idle, r.Memory.AfterCalls, r.Memory.PeakOfHuge, r.Memory.AfterHuge)
	return b.String()
}
