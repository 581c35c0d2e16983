//go:build unix

package simple

import (
	"os"
	"syscall"
)

func stopSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }

// ignoredSignals returns the signals to catch without acting on them. Go ends a program
// that writes to a broken standard output by SIGPIPE, which would skip every stop hook.
// They are not ignored with signal.Ignore, because children inherit that.
func ignoredSignals() []os.Signal { return []os.Signal{syscall.SIGPIPE} }
