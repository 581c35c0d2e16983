package app

import (
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
	"mcp-aggregator/modules/registry"
)

// failureOf is a server's failure, for the doctor; nil if there is none.
func failureOf(e *child.Error) *doctor.Failure {
	if e == nil {
		return nil
	}
	f := &doctor.Failure{Symptom: doctor.Malformed, Reason: e.Reason, Exit: e.Exit, Stderr: e.Stderr}
	switch {
	case e.Exit != "":
		f.Symptom = doctor.Ended
	case e.Phase == child.Startup:
		f.Symptom = doctor.Unstarted
	case e.Late:
		f.Symptom = doctor.Silent
	}
	return f
}

// unmatched returns the patterns of the command line that match no tool.
func (n *node) unmatched(o Options) (patterns []doctor.Pattern) {
	names := n.tools.HiddenNames()
	for _, entry := range n.tools.Snapshot().Entries() {
		names = append(names, entry.Canonical)
	}
	idle := registry.Filter{Allow: o.Allow, Deny: o.Deny}.Unmatched(names)
	for _, pattern := range idle.Allow {
		patterns = append(patterns, doctor.Pattern{Flag: "--allow", Text: pattern})
	}
	for _, pattern := range idle.Deny {
		patterns = append(patterns, doctor.Pattern{Flag: "--deny", Text: pattern})
	}
	return patterns
}
