//go:build unix

package app

import (
	"os"
	"syscall"
)

func stopSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }

// deafSignals are caught and not acted on. Go ends a program that writes to a
// broken standard output by SIGPIPE, which would skip every stop hook;
// ignoring it would be inherited by the children.
func deafSignals() []os.Signal { return []os.Signal{syscall.SIGPIPE} }
