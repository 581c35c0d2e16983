package report

import "fmt"

// Verdicts.
const (
	Met    = "met"
	Missed = "missed"
	None   = "no target"
)

// Target is a target of the project, or a value to compare with one.
type Target struct {
	What    string  `json:"what"`
	Limit   string  `json:"limit,omitempty"`
	Value   float64 `json:"value"`
	Spread  *Ratio  `json:"rounds,omitempty"` // of a ratio
	Verdict string  `json:"verdict"`

	note string // printed after the value
}

func (r *Report) add(t Target) { r.Targets = append(r.Targets, t) }

// atMost returns a target for a value.
func atMost(limit, value float64, what string) Target {
	return Target{What: what, Limit: fmt.Sprintf("<= %g", limit), Value: value, Verdict: verdict(value <= limit)}
}

// ratioAtMost returns a target for a ratio.
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
