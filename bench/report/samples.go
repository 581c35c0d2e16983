package report

import (
	"encoding/json"
	"slices"
	"time"
)

// Samples holds the measurements of the rounds, in order. Its JSON form is the median.
type Samples []float64

// Quantile returns the q-quantile of the samples, or 0 if there are none.
func (s Samples) Quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// Median returns the median, which is the mean of the two middle values for an even number
// of samples.
func (s Samples) Median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// MarshalJSON writes the median.
func (s Samples) MarshalJSON() ([]byte, error) { return json.Marshal(s.Median()) }

// Over compares s with base, which was measured in the same rounds.
func (s Samples) Over(base Samples) Ratio {
	each := make(Samples, 0, len(s))
	for i := range min(len(s), len(base)) {
		each = append(each, s[i]/base[i])
	}
	return Ratio{Value: s.Median() / base.Median(), Low: each.Quantile(0.25), High: each.Quantile(0.75)}
}

// Ratio is a ratio of medians. Half of the rounds have ratios between Low and High.
type Ratio struct {
	Value float64 `json:"value"`
	Low   float64 `json:"q1"`
	High  float64 `json:"q3"`
}

// inverse returns the reciprocal ratio.
func (r Ratio) inverse() Ratio { return Ratio{1 / r.Value, 1 / r.High, 1 / r.Low} }

// Microseconds returns d in microseconds.
func Microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
