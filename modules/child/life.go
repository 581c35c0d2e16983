package child

import (
	"sync"
	"time"
)

// life is what runs while the process does.
type life struct {
	process *Process
	link    *link
	stderr  *stderrRing
	exited  chan struct{} // closed when the process has ended
	exit    Exit          // valid after exited
	silent  chan struct{} // closed when standard output has ended
	work    sync.WaitGroup
	pipes   sync.WaitGroup // what reads the pipes
}

func (c *child) begin(process *Process) *life {
	out := newOutbox(process.Stdin, c.options.MaxQueue)
	l := &life{
		process: process,
		link:    newLink(c, out),
		stderr:  &stderrRing{redactor: c.redactor},
		exited:  make(chan struct{}),
		silent:  make(chan struct{}),
	}
	c.link.Store(l.link)
	l.work.Go(out.run)
	l.work.Go(func() {
		l.exit = process.Wait()
		close(l.exited)
	})
	l.pipes.Go(func() {
		defer close(l.silent)
		l.link.read(process.Stdout, c.options.MaxMessage)
	})
	l.pipes.Go(func() { copyStderr(process.Stderr, l.stderr, c.showStderr()) })
	return l
}

// end gives the process the time the specification asks for (2025-11-25,
// basic/lifecycle#shutdown): its standard input has been closed, then SIGTERM,
// then SIGKILL.
func (l *life) end(grace time.Duration) {
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

// drain waits for the rest of the output of a process that has ended. Someone
// else may hold the pipes open, so it does not wait for ever.
func (l *life) drain() {
	read := make(chan struct{})
	l.work.Go(func() { // ends when the pipes are closed below
		l.pipes.Wait()
		close(read)
	})
	select {
	case <-read:
	case <-time.After(drainTime):
	}
	_ = l.process.Stdin.Close()  // nobody writes to it any more
	_ = l.process.Stdout.Close() // nobody reads it any more
	_ = l.process.Stderr.Close() // nobody reads it any more
}
