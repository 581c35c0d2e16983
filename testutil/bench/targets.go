package main

import "fmt"

// target is one figure that the project has set itself.
type target struct {
	What  string  `json:"what"`
	Limit string  `json:"limit"`
	Value float64 `json:"value"`
	Met   bool    `json:"met"`
}

func (t target) verdict() string {
	if t.Met {
		return "met"
	}
	return "missed"
}

func (r *report) atMost(limit float64, value float64, what string, args ...any) {
	r.Targets = append(r.Targets, target{fmt.Sprintf(what, args...), fmt.Sprintf("<= %g", limit), value, value <= limit})
}

// hold compares the figures with the targets.
func (r *report) hold() {
	for _, l := range loads {
		limit := 1.5
		if l.Size == 100 {
			limit = 1.3
		}
		r.atMost(limit, r.calls[l][aggregator12].against(r.calls[l][bareRelay]), "time per call over the relay's, %d bytes, %d at once", l.Size, l.Flight)
	}
	small := r.calls[loads[0]]
	r.atMost(2.5, float64(small[aggregator12].cpuPerCall())/float64(small[bareRelay].cpuPerCall()), "processor time per call over the relay's, 100 bytes, 64 at once")
	faster := 1 / small[aggregator12].against(small[typedProxy])
	r.Targets = append(r.Targets, target{"times as fast as the typed proxy, 100 bytes, 64 at once", ">= 15", faster, faster >= 15})
	for _, f := range r.Lists {
		r.atMost(1, f.Ratio, "tools/list of %d tools over a direct child's", f.Tools)
	}
	r.atMost(1.2, r.Start.TwelveOverSlowest, "12 children ready over the slowest of them alone")
	r.atMost(15, r.Start.Initialized-r.Start.Empty, "ms from exec to initialize answered, above an empty program")
	r.atMost(16, r.Memory.Idle, "MB resident with 12 idle children")
	r.atMost(5, r.Memory.AfterCalls-r.Memory.Idle, "MB more after 100,000 calls")
	r.atMost(1.5, r.Memory.HugeOverSize, "peak of a 64 MB result over its size")
	r.atMost(5, r.Memory.AfterHuge-r.Memory.AfterCalls, "MB more after it")
	r.atMost(1.5, r.BesideSlow, "latency of a fast call while a slow one is open, over that alone")
}
