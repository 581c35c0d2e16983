package child

import (
	"errors"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// awaitExit blocks until the process has ended and leaves it to be reaped.
func awaitExit(cmd *exec.Cmd) {
	pid := cmd.Process.Pid
	if pollExit(pid) != nil { // the kernel is older than 5.10
		waitExit(pid, 0)
	}
}

// pollExit waits in Go's poller, which costs no thread.
func pollExit(pid int) error {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return err
	}
	process := os.NewFile(uintptr(fd), "pidfd")
	defer process.Close()
	conn, err := process.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Read(func(uintptr) bool { return waitExit(pid, unix.WNOHANG) })
}

// waitExit reports whether the process has ended.
func waitExit(pid, options int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|options, nil)
		if !errors.Is(err, unix.EINTR) {
			return err != nil || info.Signo != 0
		}
	}
}
