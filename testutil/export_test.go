package testutil

import (
	"encoding/json"
	"io"
	"testing"
	"time"
)

// MarkFor is Mark with another patience.
func MarkFor(tb testing.TB, patient time.Duration) *Marker {
	tb.Helper()
	return newMarker(tb, patient)
}

// Search is Printed with sightings of its own; report tells of them.
func Search(w io.Writer) (searching io.Writer, report func() string) {
	var s matches
	return &searchWriter{w: w, matches: &s}, s.report
}

// WrongWith says what an answer to a call lacks for the smoke test.
func WrongWith(answer string) string {
	var m smokeMessage
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		return err.Error()
	}
	return m.problem()
}
