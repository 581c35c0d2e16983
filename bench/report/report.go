// Package report holds what a run of the benchmarks measured, compares it with the
// project's targets, and writes tables, charts, a JSON file and a page of it.
package report

import "fmt"

// The ways from the driver to a child.
const (
	Direct       = "direct"
	Relay        = "relay"
	Aggregator1  = "aggregator, 1 child"
	Aggregator12 = "aggregator, 12 children"
	TypedProxy   = "typed proxy"
)

// The payloads: Text has nothing to escape, Code is programs and structured results.
const (
	Text = "text"
	Code = "code"
)

// Report is what one run measured; a stage that did not run is empty. It is the
// JSON file.
type Report struct {
	Machine Machine  `json:"machine"`
	Rounds  int      `json:"rounds"`
	Calls   []Call   `json:"calls"`
	OneCore []Call   `json:"oneCore"` // with everything on one processor
	Memory  *Memory  `json:"memory"`
	Start   *Start   `json:"start"`
	Lists   []List   `json:"lists"`
	Slow    *Slow    `json:"slow"`
	Allocs  []Allocs `json:"allocs"`
	Targets []Target `json:"targets"`
}

// Load is a kind of calls.
type Load struct {
	Payload string `json:"payload"`
	Size    int    `json:"size"`   // bytes of argument and of result
	Flight  int    `json:"flight"` // calls open at once
}

// String says what the load is, as in "10 KB of code, 64 at once".
func (l Load) String() string {
	return fmt.Sprintf("%s of %s, %d at once", l.bytes(), l.Payload, l.Flight)
}

func (l Load) bytes() string {
	switch {
	case l.Size >= 1_000_000:
		return fmt.Sprintf("%d MB", l.Size/1_000_000)
	case l.Size >= 1_000:
		return fmt.Sprintf("%d KB", l.Size/1_000)
	default:
		return fmt.Sprintf("%d B", l.Size)
	}
}

// Call is what one load took on one way to a child, in microseconds.
type Call struct {
	Load
	Way     string  `json:"way"`
	PerCall Samples `json:"perCall"`
	P50     Samples `json:"p50"`
	P99     Samples `json:"p99"`
	CPU     Samples `json:"cpu"` // of the program in the middle, a call
}

// perSecond is the throughput, in calls a second.
func (c Call) perSecond() float64 { return 1e6 / c.PerCall.Median() }

// call finds what was measured. Nothing was, if it has no samples.
func (r *Report) call(l Load, way string) Call { return find(r.Calls, l, way) }

func find(calls []Call, l Load, way string) Call {
	for _, c := range calls {
		if c.Load == l && c.Way == way {
			return c
		}
	}
	return Call{Load: l, Way: way}
}

// loads are those of the calls, in order.
func (r *Report) loads() []Load { return loadsOf(r.Calls) }

func loadsOf(calls []Call) (all []Load) {
	for _, c := range calls {
		if c.Way == Relay {
			all = append(all, c.Load)
		}
	}
	return all
}

// Memory is what the aggregator had resident, in megabytes (2^20 bytes).
type Memory struct {
	Idle         Samples `json:"idle"`         // with 12 children
	AfterCalls   Samples `json:"afterCalls"`   // after 100,000 calls to all of them in turn
	PeakOfHuge   Samples `json:"peakOfHuge"`   // during a result of 64 MB
	AfterHuge    Samples `json:"afterHuge"`    // a second later
	HugeOverSize Samples `json:"hugeOverSize"` // what the result cost at the peak, over its size
}

// Start is times in milliseconds, each from right before exec.
type Start struct {
	Empty       Samples `json:"empty"`       // to the byte that an empty program writes
	Initialized Samples `json:"initialized"` // to the answer to initialize
	Direct      Samples `json:"direct"`      // to the tools of a child, without the aggregator
	One         Samples `json:"one"`         // to the tools of 1 child
	Twelve      Samples `json:"twelve"`      // of 12
	Fifty       Samples `json:"fifty"`       // of 50
	OneSlow     Samples `json:"oneSlow"`     // of 12, one of which takes 2 s
	Slowest     Samples `json:"slowest"`     // of a child that takes 500 ms, without the aggregator
	Staggered   Samples `json:"staggered"`   // of 12 that take 60 to 500 ms
}

// List is times of tools/list in milliseconds. A sample is the median of one
// process.
type List struct {
	Tools   int     `json:"tools"`
	Direct  Samples `json:"direct"`
	Through Samples `json:"through"`
}

// Slow is the median latency of a call, one at a time, in microseconds.
type Slow struct {
	Alone Samples `json:"alone"`
	Other Samples `json:"other"` // while another child has a call of 2 s
	Same  Samples `json:"same"`  // while the same child has
}
