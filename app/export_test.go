package app

import "io"

// Console is standard error.
type Console struct{ *console }

// NewConsole returns a console that writes to dst until Close.
func NewConsole(dst io.Writer) Console { return Console{newConsole(dst)} }

// Close writes what is left.
func (c Console) Close() { c.close() }
