package child

import (
	"sync"
	"time"
)

// runningProcess is what runs while the process does.
type runningProcess struct {
	process *Process
	stdout  *source // of process
	errors  *source
	link    *connection
	tail    *stderrRing   // of errors
	exited  chan struct{} // closed when the process has ended
	exit    Exit          // valid after exited
	silent  chan struct{} // closed when standard output has ended
	work    sync.WaitGroup
	pipes   sync.WaitGroup // what reads the pipes
}

func (c *child) begin(process *Process) *runningProcess {
	out := newOutbox(process.Stdin, c.options.MaxQueue)
	l := &runningProcess{
		process: process, stdout: newSource(process.Stdout), errors: newSource(process.Stderr),
		link:   newLink(c, out),
		tail:   &stderrRing{redactor: c.redactor},
		exited: make(chan struct{}),
		silent: make(chan struct{}),
	}
	c.link.Store(l.link)
	l.work.Go(out.run)
	l.work.Go(func() {
		l.exit = process.Wait()
		close(l.exited)
	})
	l.pipes.Go(func() {
		defer close(l.silent)
		l.link.read(l.stdout, c.options.MaxMessage)
	})
	l.pipes.Go(func() { copyStderr(l.errors, l.tail, c.showStderr()) })
	return l
}

// end gives the process the time the specification asks for (2025-11-25,
// basic/lifecycle#shutdown): its standard input has been closed, then SIGTERM,
// then SIGKILL.
func (l *runningProcess) end(grace time.Duration) {
	for _, next := range []func(){l.process.Terminate, l.process.Kill} {
		select {
		case <-l.exited:
			return
		case <-time.After(grace):
			next()
		}
	}
	<-l.exited
}
