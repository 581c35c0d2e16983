package testutil

import (
	"encoding/json"
	"io"
	"testing"
	"time"
)

// MarkFor is Mark with another timeout.
func MarkFor(tb testing.TB, timeout time.Duration) *Marker {
	tb.Helper()
	return newMarker(tb, timeout)
}

// Search is Printed with separate matches; report returns their report.
func Search(w io.Writer) (searching io.Writer, report func() string) {
	var s matches
	return &searchWriter{w: w, matches: &s}, s.report
}

// ProblemOf returns what is wrong with a response to a call for the smoke test.
func ProblemOf(answer string) string {
	var m smokeMessage
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		return err.Error()
	}
	return m.problem()
}
