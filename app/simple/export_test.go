package app

import (
	"io"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
)

// Console is standard error.
type Console struct{ *console }

// NewConsole returns a console that writes to dst until Close.
func NewConsole(dst io.Writer) Console { return Console{newConsole(dst)} }

// Close writes what is left.
func (c Console) Close() { c.close() }

// Wrap breaks text into lines of at most limit columns.
func Wrap(text string, limit int) []string { return wrap(text, limit) }

// Width is how many columns of a terminal text takes.
func Width(text string) int { return width(text) }

// FailureOf is a server's failure, for the doctor.
func FailureOf(e *child.Error) *doctor.Failure { return failureOf(e) }
