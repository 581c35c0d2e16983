//go:build !unix

package child

import "os"

// newStdin returns the pipe to a child's standard input, which cannot be tried:
// a goroutine writes everything.
func newStdin(f *os.File) *os.File { return f }
