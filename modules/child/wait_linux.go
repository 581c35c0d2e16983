package child

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// awaitExit blocks until the process has ended and leaves it to be reaped.
func awaitExit(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}
