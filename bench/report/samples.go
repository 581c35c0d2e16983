package report

import (
	"encoding/json"
	"slices"
	"time"
)

// Samples are what the rounds measured of one thing, in order. In JSON they are
// their median.
type Samples []float64

// Quantile returns the value below which a share q of the samples lies, 0 of none.
func (s Samples) Quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// Median returns the value in the middle: of an even number of samples the mean of
// the two there.
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

// Ratio is a ratio of medians. Between Low and High lie the ratios of the middle
// half of the rounds.
type Ratio struct {
	Value float64 `json:"value"`
	Low   float64 `json:"q1"`
	High  float64 `json:"q3"`
}

// inverse turns the comparison round.
func (r Ratio) inverse() Ratio { return Ratio{1 / r.Value, 1 / r.High, 1 / r.Low} }

// Microseconds returns d as a number.
func Microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
