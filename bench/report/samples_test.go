package report_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/bench/report"
)

func TestMedianAndQuantiles(t *testing.T) {
	for name, c := range map[string]struct {
		samples          report.Samples
		q1, median, last float64
	}{
		"of none are 0":                           {nil, 0, 0, 0},
		"of one are that one":                     {report.Samples{7}, 7, 7, 7},
		"do not depend on the order":              {report.Samples{5, 1, 4, 2, 3}, 2, 3, 5},
		"of an even number take the mean of both": {report.Samples{4, 1, 3, 2}, 2, 2.5, 4},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.samples.Quantile(0.25); got != c.q1 {
				t.Errorf("first quartile %v, not %v", got, c.q1)
			}
			if got := c.samples.Median(); got != c.median {
				t.Errorf("median %v, not %v", got, c.median)
			}
			if got := c.samples.Quantile(1); got != c.last {
				t.Errorf("last %v, not %v", got, c.last)
			}
		})
	}
}

func TestHalfOfTheSamplesLieOnEachSideOfTheMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := report.Samples(rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 50).Draw(t, "samples"))
		below, above := 0, 0
		for _, v := range samples {
			if v < samples.Median() {
				below++
			}
			if v > samples.Median() {
				above++
			}
		}
		if 2*below > len(samples) || 2*above > len(samples) {
			t.Errorf("%d below and %d above %v of %v", below, above, samples.Median(), samples)
		}
	})
}

// The median of the rounds' ratios would be 2.
func TestARatioIsOneOfMedians(t *testing.T) {
	got := report.Samples{10, 20, 90}.Over(report.Samples{10, 10, 30})
	if want := (report.Ratio{Value: 2, Low: 1, High: 3}); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	got = report.Samples{1, 9, 8}.Over(report.Samples{4, 3, 2})
	if want := 8.0 / 3; got.Value != want {
		t.Errorf("%v, not %v", got.Value, want)
	}
}

func TestSamplesAreTheirMedianInJSON(t *testing.T) {
	if got, err := json.Marshal(report.Samples{3, 1, 2}); err != nil || string(got) != "2" {
		t.Errorf("%s, %v", got, err)
	}
}
