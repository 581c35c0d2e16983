package child

import (
	"runtime"
	"sync"
	"syscall"
)

// attributes make a process lead a group of its own, and be killed when the
// thread that started it ends: on Linux a parent's death is that of a thread
// (prctl(2), PR_SET_PDEATHSIG).
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// launches is the way to the one thread that starts all children. It lives as
// long as the program.
//
//nolint:gochecknoglobals // there is one, whoever uses the package
var launches = sync.OnceValue(func() chan<- func() {
	requests := make(chan func())
	go serveLaunches(requests)
	return requests
})

func serveLaunches(requests <-chan func()) {
	runtime.LockOSThread() // for good
	for request := range requests {
		request()
	}
}

// launch calls start on the thread that outlives what it starts.
func launch(start func() error) error {
	started := make(chan error)
	launches() <- func() { started <- start() }
	return <-started
}
