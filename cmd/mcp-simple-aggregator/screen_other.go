//go:build !windows

package main

import "os"

// takesColour reports whether a terminal understands escapes.
func takesColour(*os.File) bool { return true }
