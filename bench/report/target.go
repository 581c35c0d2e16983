package report

import "fmt"

// The verdicts on a figure.
const (
	Met    = "met"
	Missed = "missed"
	None   = "no target"
)

// Target is one figure that the project has set itself, or that is there to be
// compared with one.
type Target struct {
	What    string  `json:"what"`
	Limit   string  `json:"limit,omitempty"`
	Value   float64 `json:"value"`
	Spread  *Ratio  `json:"rounds,omitempty"` // of a ratio
	Verdict string  `json:"verdict"`

	note string // what stands behind the figure
}

func (r *Report) add(t Target) { r.Targets = append(r.Targets, t) }

// atMost is the target of a plain figure.
func atMost(limit, value float64, what string) Target {
	return Target{What: what, Limit: fmt.Sprintf("<= %g", limit), Value: value, Verdict: verdict(value <= limit)}
}

// ratioAtMost is the target of a ratio.
func ratioAtMost(limit float64, ratio Ratio, what string) Target {
	t := atMost(limit, ratio.Value, what)
	t.Spread = &ratio
	return t
}

func (t Target) because(format string, args ...any) Target {
	t.note = fmt.Sprintf(format, args...)
	return t
}

func verdict(met bool) string {
	if met {
		return Met
	}
	return Missed
}
