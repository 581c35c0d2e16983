package main

import (
	"cmp"
	"slices"
	"time"
)

// quantile returns the value below which a share q of values lies.
func quantile[T cmp.Ordered](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func median[T cmp.Ordered](values []T) T { return quantile(values, 0.5) }

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func megabytes(bytes int) float64 { return float64(bytes) / (1 << 20) }
