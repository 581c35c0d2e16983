package simple

import "io"

// Console is a standard error that never blocks its writers.
type Console struct{ *console }

// NewConsole returns a console that writes to dst until Close.
func NewConsole(dst io.Writer) Console { return Console{newConsole(dst)} }

// Close writes the pending messages.
func (c Console) Close() { c.close() }
