package check_test

import (
	"testing"

	"mcp-aggregator/app/check"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
)

func TestFailuresHaveTheSymptomOfTheirCause(t *testing.T) {
	tests := map[string]struct {
		failure child.Error
		want    doctor.Symptom
	}{
		"it was not found":            {child.Error{Phase: child.Startup}, doctor.NotStarted},
		"it ended before it answered": {child.Error{Phase: child.Startup, Exit: "exit status 1"}, doctor.Ended},
		"it ended while it ran":       {child.Error{Phase: child.Runtime, Exit: "signal: killed"}, doctor.Ended},
		"it did not answer":           {child.Error{Phase: child.Initialization, Late: true}, doctor.Silent},
		"it answered nonsense":        {child.Error{Phase: child.Initialization}, doctor.Malformed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := check.FailureOf(&test.failure); got.Symptom != test.want {
				t.Errorf("symptom %d, want %d", got.Symptom, test.want)
			}
		})
	}
	if got := check.FailureOf(nil); got != nil {
		t.Errorf("of a server that runs: %+v", got)
	}
}
