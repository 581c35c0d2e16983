//go:build !windows

package main

import "os"

// enableColor reports whether a terminal understands escape sequences.
func enableColor(*os.File) bool { return true }
