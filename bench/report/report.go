// Package report holds the measurements of a benchmark run, compares them with the
// project's targets, and writes tables, charts, a JSON file and a Markdown page.
package report

import "fmt"

// Paths from the driver to a child.
const (
	Direct       = "direct"
	Relay        = "relay"
	Aggregator1  = "aggregator, 1 child"
	Aggregator12 = "aggregator, 12 children"
	TypedProxy   = "typed proxy"
)

// Payloads: Text needs no escaping, Code consists of source code and structured results.
const (
	Text = "text"
	Code = "code"
)

// Report holds the measurements of one run, and is the format of the JSON file. A stage
// that did not run is empty.
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
	Size    int    `json:"size"`   // bytes of arguments and of results
	Flight  int    `json:"flight"` // concurrent calls
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

// Call is the cost of a load on one path to a child, in microseconds.
type Call struct {
	Load
	Way     string  `json:"way"`
	PerCall Samples `json:"perCall"`
	P50     Samples `json:"p50"`
	P99     Samples `json:"p99"`
	CPU     Samples `json:"cpu"` // of the program between driver and child, per call
}

// perSecond returns the throughput in calls per second.
func (c Call) perSecond() float64 { return 1e6 / c.PerCall.Median() }

// call returns a measurement. It has no samples if the stage did not run.
func (r *Report) call(l Load, way string) Call { return find(r.Calls, l, way) }

func find(calls []Call, l Load, way string) Call {
	for _, c := range calls {
		if c.Load == l && c.Way == way {
			return c
		}
	}
	return Call{Load: l, Way: way}
}

// loads returns the loads of the calls, in order.
func (r *Report) loads() []Load { return loadsOf(r.Calls) }

func loadsOf(calls []Call) (all []Load) {
	for _, c := range calls {
		if c.Way == Relay {
			all = append(all, c.Load)
		}
	}
	return all
}

// Memory is the resident memory of the aggregator, in megabytes (2^20 bytes).
type Memory struct {
	Idle         Samples `json:"idle"`         // with 12 children
	AfterCalls   Samples `json:"afterCalls"`   // after 100,000 calls to all of them in turn
	PeakOfHuge   Samples `json:"peakOfHuge"`   // during a result of 64 MB
	AfterHuge    Samples `json:"afterHuge"`    // a second later
	HugeOverSize Samples `json:"hugeOverSize"` // what the result cost at the peak, over its size

	Lean Samples `json:"lean,omitempty"` // as Idle, with --lean and after 50 searches
}

// Start holds times since exec, in milliseconds.
type Start struct {
	Empty       Samples `json:"empty"`       // until an empty program writes its byte
	Initialized Samples `json:"initialized"` // until the answer to initialize
	Direct      Samples `json:"direct"`      // until the tools of a child are listed, without the aggregator
	One         Samples `json:"one"`         // until the tools of 1 child are listed
	Twelve      Samples `json:"twelve"`      // likewise with 12 children
	Fifty       Samples `json:"fifty"`       // likewise with 50 children
	OneSlow     Samples `json:"oneSlow"`     // of 12, one of which takes 2 s to start
	Slowest     Samples `json:"slowest"`     // of a child that takes 500 ms, without the aggregator
	Staggered   Samples `json:"staggered"`   // of 12 that take 60 to 500 ms
}

// List holds times of tools/list in milliseconds. A sample is the median of one process.
type List struct {
	Tools   int     `json:"tools"`
	Direct  Samples `json:"direct"`
	Through Samples `json:"through"`
}

// Slow holds the median latency of sequential calls, in microseconds.
type Slow struct {
	Alone Samples `json:"alone"`
	Other Samples `json:"other"` // while another child handles a call of 2 s
	Same  Samples `json:"same"`  // while the same child handles one
}
