//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// attributes returns attributes by which a process leads a group of its own. When the
// aggregator is killed, it notices by the end of its standard input alone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// launch calls start.
func launch(start func() error) error { return start() }

// awaitExit blocks until the process has ended, and reaps it, because x/sys has no
// waitid here: until the group is killed a moment later, only the remaining members
// keep its id from being reused.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }
