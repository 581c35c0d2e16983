package child

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/wire"
)

// child is one server. Its run method is the goroutine that owns it.
type child struct {
	server   config.ServerConfig
	options  Options
	log      *slog.Logger
	client   Client
	tools    Tools
	redactor *redact.Redactor
	early    pendingNotifications

	hello   chan Introduction // receives the client's introduction, once
	status  atomic.Pointer[Status]
	settled chan struct{} // closed when the child has left Initializing
	gone    chan struct{} // closed when nothing of the process is left
	link    atomic.Pointer[connection]
	control atomic.Pointer[Control] // for kill
	killed  atomic.Bool
}

func newChild(server config.ServerConfig, d deps) *child {
	c := &child{
		server: server, options: d.options, client: d.client, tools: d.tools,
		log:      d.log.With(slog.String("server", redact.Printable(server.Key, tailLineSize))),
		redactor: redact.New(SecretsOf(server)),
		hello:    make(chan Introduction, 1),
		settled:  make(chan struct{}),
		gone:     make(chan struct{}),
	}
	c.status.Store(&Status{Key: server.Key, State: Initializing})
	return c
}

// run lives the child's life: spawn, converse, and end. Cancelling ctx ends it.
func (c *child) run(ctx context.Context, spawner Spawner) {
	if ended(ctx.Done()) {
		close(c.gone)
		c.publish(Status{State: Stopped})
		return
	}
	process, err := spawner.Spawn(c.server)
	if err != nil {
		close(c.gone)
		c.fail(&Error{Phase: Startup, Reason: err.Error()})
		return
	}
	c.control.Store(&process.Control)
	if c.killed.Load() { // while it was being spawned
		process.Kill()
	}
	life := c.begin(process) //nolint:contextcheck // a child is read to its end, whatever ctx says
	failure := c.supervise(ctx, life)
	c.finish(life, failure)
}

// kill ends the process group at once. Any goroutine may call it.
func (c *child) kill() {
	c.killed.Store(true)
	if control := c.control.Load(); control != nil {
		(*control).Kill()
	}
}

// showStderr returns what to do with each line of standard error; nil unless
// somebody wants to read them.
func (c *child) showStderr() func(string) {
	if !c.log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return func(line string) {
		c.log.Debug("stderr", slog.String("line", redact.Printable(c.redactor.Excerpt([]byte(line)), 4*tailLineSize)))
	}
}

// supervise waits for the child to become ready and then to end. It returns why it
// has to end: nil when we are stopping.
func (c *child) supervise(ctx context.Context, l *runningProcess) *Error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	attempt := newAttempt()
	defer attempt.stopTimers()
	relist := newRelist()
	defer relist.again.Stop()
	var changed <-chan struct{} // nil unless the list may be read again
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.exited:
			return exitFailure(ctx, attempt.phase)
		case <-l.silent:
			return closedPipeFailure(ctx, l, attempt.phase, "it closed its standard output")
		case <-l.link.out.broken:
			return closedPipeFailure(ctx, l, attempt.phase, "it closed its standard input")
		case h := <-c.hello:
			l.work.Go(attempt.start(ctx, l.link, h, c.options))
		case o := <-attempt.done:
			switch {
			case ctx.Err() != nil: // stopping is what broke the handshake
				return nil
			case o.err != nil:
				return c.handshakeFailure(l, o.err)
			}
			c.ready(o.tools, attempt.ready())
			changed = l.link.changed
		case <-changed:
			changed = nil // until it has been read
			l.work.Go(relist.start(ctx, l.link, c.options))
		case o := <-relist.done:
			if !ended(ctx.Done()) {
				c.relisted(o)
			}
			if relist.rest() {
				c.log.Warn("server changes its tool list whenever it is read: it is read more seldom")
			}
		case <-relist.again.C:
			changed = l.link.changed
		case <-attempt.warn.C:
			c.log.Warn("server is slow: it is not ready yet", slog.Duration("after", c.options.WarnAfter))
		case <-attempt.giveUp.C:
			return &Error{Phase: Initialization, Late: true, Reason: fmt.Sprintf("it was not ready after %v", c.options.FailAfter)}
		}
	}
}

// exitFailure is the failure of a process that has ended, unless we are stopping it.
func exitFailure(ctx context.Context, phase Phase) *Error {
	if ended(ctx.Done()) {
		return nil
	}
	return &Error{Phase: phase, Reason: "the process ended"}
}

// closedPipeFailure tells a child that closed one of its pipes from one that is just
// ending.
func closedPipeFailure(ctx context.Context, l *runningProcess, phase Phase, reason string) *Error {
	select {
	case <-l.exited:
		return exitFailure(ctx, phase)
	case <-ctx.Done():
		return nil
	case <-time.After(drainTime):
		return &Error{Phase: phase, Reason: reason}
	}
}

// handshakeFailure gives a process that is ending the moment it takes to notice, for
// its exit status says more than a broken handshake.
func (c *child) handshakeFailure(l *runningProcess, err error) *Error {
	select {
	case <-l.exited:
		return &Error{Phase: Initialization, Reason: "the process ended"}
	case <-time.After(drainTime / 10):
		return &Error{Phase: Initialization, Reason: err.Error()}
	}
}

func (c *child) ready(definitions [][]byte, after time.Duration) {
	count := c.tools.ReplaceTools(c.server.Key, definitions)
	c.publish(Status{State: Running, Tools: count, Ready: after})
	if !c.options.Quiet {
		c.log.Info("server is running", slog.Int("tools", count), slog.Duration("after", after))
	}
}

// relisted takes the tools of a child whose list has changed. One that cannot
// be read leaves the tools as they were.
func (c *child) relisted(o outcome) {
	if o.err != nil {
		c.log.Warn("changed tool list not read", slog.String("reason", redact.Printable(c.redactor.Redact(o.err.Error()), tailLineSize)))
		return
	}
	status := *c.status.Load()
	status.Tools = c.tools.ReplaceTools(c.server.Key, o.tools)
	c.publish(status)
}

// finish ends the process and everything that belongs to it. A failure is made
// known, and calls are answered, before a process that is still there is given
// time to end.
func (c *child) finish(l *runningProcess, failure *Error) {
	if ended(l.exited) {
		l.drain()
	}
	if failure == nil {
		c.publish(Status{State: Stopped})
	} else {
		failure.Stderr = l.tail.tail()
		if ended(l.exited) {
			failure.Exit = string(l.exit)
		}
		c.fail(failure)
	}
	l.work.Go(func() { // the client may not be reading: the process is ended all the same
		l.link.calls.end(c.stoppedError(failure))
		c.client.Leave(l.link)
		c.client.Flush()
	})
	l.link.out.close()
	l.end(c.options.Grace)
	l.drain()
	close(c.gone)
	_ = l.link.session.Close() // never fails
	l.work.Wait()
}

func ended(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// stoppedError is the answer to what the child has not answered.
func (c *child) stoppedError(failure *Error) *wire.Error {
	if failure == nil {
		return &wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' was stopped", c.server.Key)}
	}
	return &wire.Error{
		Code:    jsonrpc.CodeInternalError,
		Message: fmt.Sprintf("Server '%s' crashed during operation", c.server.Key),
		Data:    crash{Server: c.server.Key, ExitStatus: failure.Exit},
	}
}

// crash is the data of the error that a dead child's calls are answered with.
type crash struct {
	Server     string `json:"server"`
	ExitStatus string `json:"exitStatus,omitempty"` // empty when it had not exited by itself
}

// fail makes a failure known: to the log, to the registry, to readers.
func (c *child) fail(e *Error) {
	e.Key = c.server.Key
	e.Reason = redact.Printable(c.redactor.Redact(e.Reason), 4*tailLineSize)
	c.tools.RemoveTools(c.server.Key)
	c.publish(Status{State: Failed, Err: e})
	if c.options.Quiet {
		return
	}
	attrs := []any{slog.String("phase", string(e.Phase)), slog.String("reason", e.Reason)}
	if e.Exit != "" {
		attrs = append(attrs, slog.String("exit", e.Exit))
	}
	if e.Stderr != "" {
		attrs = append(attrs, slog.String("stderr", e.Stderr))
	}
	c.log.Error("server failed", attrs...)
}

// publish shows the new status. Only the owner calls it.
func (c *child) publish(s Status) {
	s.Key = c.server.Key
	before := c.status.Swap(&s)
	if !before.Settled() && s.Settled() {
		close(c.settled)
	}
}
