package child

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mcp-aggregator/modules/redact"
)

// Process is one running child process with its pipes.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser // Close breaks a blocked Read
	Stderr io.ReadCloser // Close breaks a blocked Read
	Control
}

// Control controls a child process and its process group.
type Control interface {
	// Wait blocks until the process itself has ended, whatever still holds its
	// pipes open, and then ends what is left of its group. It is called once.
	Wait() Exit
	// Terminate asks the whole group to end (SIGTERM).
	Terminate()
	// Kill ends the whole group (SIGKILL).
	Kill()
}

// Exit is how a process ended, in the words of os.ProcessState: "exit status
// 0", "signal: killed".
type Exit string

// runningProcess is a process with the goroutines that serve it.
type runningProcess struct {
	process     *Process
	stdout      *output // of process
	stderr      *output
	connection  *connection
	tail        *stderrRing   // of stderr
	exited      chan struct{} // closed when the process has ended
	exit        Exit          // valid after exited
	outputEnded chan struct{} // closed when standard output has ended
	work        sync.WaitGroup
	pipes       sync.WaitGroup // the goroutines that read the pipes
}

// attach starts the goroutines that read and write the pipes of a process and wait for
// its end.
func (s *Server) attach(process *Process) *runningProcess {
	out := newOutbox(process.Stdin, s.options.MaxQueue)
	p := &runningProcess{
		process: process, stdout: newOutput(process.Stdout), stderr: newOutput(process.Stderr),
		connection:  newConnection(s, out),
		tail:        &stderrRing{redactor: s.redactor},
		exited:      make(chan struct{}),
		outputEnded: make(chan struct{}),
	}
	s.connection.Store(p.connection)
	p.work.Go(out.run)
	p.work.Go(func() {
		p.exit = process.Wait()
		close(p.exited)
	})
	p.pipes.Go(func() {
		defer close(p.outputEnded)
		p.connection.readOutput(p.stdout, s.options.MaxMessage)
	})
	p.pipes.Go(func() { copyStderr(p.stderr, p.tail, s.logStderr()) })
	return p
}

// logStderr returns a function that logs a line of standard error; nil unless such lines
// are logged.
func (s *Server) logStderr() func(string) {
	if !s.log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return func(line string) {
		s.log.Debug("stderr", slog.String("line", redact.Printable(s.redactor.Excerpt([]byte(line)), 4*tailLineSize)))
	}
}

// terminate gives the process the time the specification asks for (2025-11-25,
// basic/lifecycle#shutdown): its standard input has been closed, then SIGTERM,
// then SIGKILL.
func (p *runningProcess) terminate(grace time.Duration) {
	for _, next := range []func(){p.process.Terminate, p.process.Kill} {
		select {
		case <-p.exited:
			return
		case <-time.After(grace):
			next()
		}
	}
	<-p.exited
}

// Another process may hold the pipes of a dead child open, so its last output is
// waited for as long as any arrives, and for drainTime at most.
const (
	drainTime = time.Second
	idleTime  = 100 * time.Millisecond
)

// drain reads the rest of the output of a process that has ended.
func (p *runningProcess) drain() {
	read := make(chan struct{})
	p.work.Go(func() { // ends when the pipes are closed below
		p.pipes.Wait()
		close(read)
	})
	began := time.Now()
	tick := time.NewTicker(idleTime / 10)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-read:
			done = true
		case now := <-tick.C:
			done = now.Sub(began) >= drainTime || p.stdout.idle(began, now) && p.stderr.idle(began, now)
		}
	}
	_ = p.process.Stdin.Close()  // nothing writes to it any more
	_ = p.process.Stdout.Close() // nothing reads it any more
	_ = p.process.Stderr.Close() // nothing reads it any more
}

// output is an output of a child. It knows how long nothing has arrived.
type output struct {
	io.Reader
	opened time.Time
	since  atomic.Int64 // nanoseconds from opened to the Read that is in progress; 0 without one
}

func newOutput(r io.Reader) *output { return &output{Reader: r, opened: time.Now()} }

// Read implements io.Reader.
func (o *output) Read(p []byte) (int, error) {
	o.since.Store(int64(max(1, time.Since(o.opened))))
	n, err := o.Reader.Read(p)
	if err == nil {
		o.since.Store(0)
	}
	return n, err
}

// idle reports whether a Read has waited for idleTime after began.
func (o *output) idle(began, now time.Time) bool {
	since := o.since.Load()
	if since == 0 {
		return false
	}
	from := o.opened.Add(time.Duration(since))
	if from.Before(began) {
		from = began
	}
	return now.Sub(from) >= idleTime
}
