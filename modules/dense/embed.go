package dense

import (
	"context"
	"fmt"
	"math"
	"time"
)

// maxDimension is the maximum dimension of a vector in PostgreSQL.
const maxDimension = 16_000

// embed returns vectors of length 1 with the same dimension, within timeout.
func (l *Leg) embed(ctx context.Context, texts []string, timeout time.Duration) ([][]float32, error) {
	if err := l.budget.spend(texts); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	vectors, err := l.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, withCode(err)
	}
	if len(vectors) != len(texts) {
		return nil, invalidResponse("it has %d vectors for %d texts", len(vectors), len(texts))
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) > maxDimension || len(v) != len(vectors[0]) {
			return nil, invalidResponse("its vectors have %d and %d dimensions", len(vectors[0]), len(v))
		}
		if !normalize(v) {
			return nil, invalidResponse("a vector has a number that is not finite")
		}
	}
	return vectors, nil
}

func invalidResponse(format string, args ...any) error {
	return &Error{Code: Unavailable, Err: fmt.Errorf("invalid response of the embedder: "+format, args...)}
}

// normalize scales a vector to length 1, unless it is zero, and reports whether all its
// numbers are finite.
func normalize(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	if sum > 0 {
		scale := 1 / math.Sqrt(sum)
		for i := range v {
			v[i] = float32(float64(v[i]) * scale)
		}
	}
	return true
}
