package child

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes returns attributes by which a process leads a group of its own and is
// killed when the thread that started it ends: on Linux a parent's death is that of a
// thread (prctl(2), PR_SET_PDEATHSIG).
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// launches sends functions to the one thread that starts all children. The thread lives
// as long as the program.
//
//nolint:gochecknoglobals // one thread serves the whole program
var launches = sync.OnceValue(func() chan<- func() {
	requests := make(chan func())
	go serveLaunches(requests)
	return requests
})

func serveLaunches(requests <-chan func()) {
	runtime.LockOSThread() // for ever
	for request := range requests {
		request()
	}
}

// launch calls start on the thread that outlives the children.
func launch(start func() error) error {
	started := make(chan error)
	launches() <- func() { started <- start() }
	return <-started
}

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
