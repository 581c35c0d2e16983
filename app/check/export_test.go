package check

import (
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
)

// Wrap breaks text into lines of at most limit columns.
func Wrap(text string, limit int) []string { return wrap(text, limit) }

// Width returns how many columns of a terminal text takes.
func Width(text string) int { return width(text) }

// FailureOf converts the failure of a server for the doctor.
func FailureOf(e *child.Error) *doctor.Failure { return failureOf(e) }
