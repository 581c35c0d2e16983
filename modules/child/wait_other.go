//go:build unix && !linux

package child

import "os/exec"

// awaitExit blocks until the process has ended. It reaps it, for x/sys has no
// waitid here: until the group is killed a moment later, its id is kept from
// reuse only by the members that are left.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }
