package child

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/wire"
)

// run owns the child: it spawns it, supervises it and ends it. Canceling ctx ends the child.
func (s *Server) run(ctx context.Context) {
	if isClosed(ctx.Done()) {
		close(s.gone)
		s.publish(Status{State: Stopped})
		return
	}
	process, err := s.spawner.Spawn(s.config)
	if err != nil {
		close(s.gone)
		s.fail(&Error{Phase: Startup, Reason: err.Error()})
		return
	}
	s.control.Store(&process.Control)
	if s.killed.Load() { // while it was being spawned
		process.Kill()
	}
	p := s.attach(process) //nolint:contextcheck // the output is read to its end, whatever ctx says
	failure := s.supervise(ctx, p)
	s.finish(p, failure)
}

// supervise waits for the child to become ready and then to end. It returns why it
// has to end: nil when it is being stopped.
func (s *Server) supervise(ctx context.Context, p *runningProcess) *Error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := newStartup()
	defer start.stopTimers()
	relisted := make(chan listing)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.exited:
			return exitFailure(ctx, start.phase)
		case <-p.outputEnded:
			return closedPipeFailure(ctx, p, start.phase, "it closed its standard output")
		case <-p.connection.out.broken:
			return closedPipeFailure(ctx, p, start.phase, "it closed its standard input")
		case params := <-s.initialize:
			p.work.Go(start.handshake(ctx, p.connection, params, s.options))
		case l := <-start.done:
			switch {
			case ctx.Err() != nil: // stopping is what broke the handshake
				return nil
			case l.err != nil:
				return handshakeFailure(p, l.err)
			}
			s.ready(l, start.ready())
			p.work.Go(func() { s.relist(ctx, p.connection, relisted) })
		case l := <-relisted:
			if ctx.Err() == nil {
				s.replaceTools(l)
			}
		case <-start.warn.C:
			s.log.Warn("server is slow: it is not ready yet", slog.Duration("after", s.options.WarnAfter))
		case <-start.giveUp.C:
			return &Error{Phase: Initialization, Late: true, Reason: fmt.Sprintf("it was not ready after %v", s.options.HandshakeTimeout)}
		}
	}
}

// exitFailure is the failure of a process that has ended, unless it is being stopped.
func exitFailure(ctx context.Context, phase Phase) *Error {
	if isClosed(ctx.Done()) {
		return nil
	}
	return &Error{Phase: phase, Reason: "the process ended"}
}

// closedPipeFailure is the failure of a process that has closed one of its pipes. A
// process that is just ending closes them all.
func closedPipeFailure(ctx context.Context, p *runningProcess, phase Phase, reason string) *Error {
	select {
	case <-p.exited:
		return exitFailure(ctx, phase)
	case <-ctx.Done():
		return nil
	case <-time.After(drainTime):
		return &Error{Phase: phase, Reason: reason}
	}
}

// handshakeFailure gives a process that is ending a moment to be noticed, because its exit
// status says more than a broken handshake.
func handshakeFailure(p *runningProcess, err error) *Error {
	select {
	case <-p.exited:
		return &Error{Phase: Initialization, Reason: "the process ended"}
	case <-time.After(drainTime / 10):
		return &Error{Phase: Initialization, Reason: err.Error()}
	}
}

// ready publishes what the child said of itself, then its tools, then that it runs: who
// sees the tools also sees whose they are.
func (s *Server) ready(l listing, after time.Duration) {
	s.publish(Status{State: Initializing, Info: l.info})
	count := s.tools.ReplaceTools(s.config.Key, l.tools)
	s.publish(Status{State: Running, Tools: count, Ready: after, Info: l.info})
	if !s.options.Quiet {
		s.log.Info("server is running", slog.Int("tools", count), slog.Duration("after", after))
	}
}

// relist reads the tools again whenever they have changed and hands them to the owner.
func (s *Server) relist(ctx context.Context, c *connection, relisted chan<- listing) {
	mcpclient.Relist(ctx, c.changes, s.log, func(ctx context.Context) {
		bounded, cancel := context.WithTimeout(ctx, s.options.HandshakeTimeout)
		defer cancel()
		tools, err := c.listTools(bounded)
		select {
		case relisted <- listing{tools: tools, err: err}:
		case <-ctx.Done():
		}
	})
}

// replaceTools replaces the tools by those that were read again. If they could not be
// read, the tools stay as they were.
func (s *Server) replaceTools(l listing) {
	if l.err != nil {
		s.log.Warn("changed tool list not read", slog.String("reason", redact.Printable(s.redactor.Redact(l.err.Error()), tailLineSize)))
		return
	}
	status := s.Status()
	status.Tools = s.tools.ReplaceTools(s.config.Key, l.tools)
	s.publish(status)
}

// finish ends the process and everything that belongs to it. A failure is published, and
// pending calls fail, before a process that still runs is given time to end.
func (s *Server) finish(p *runningProcess, failure *Error) {
	if isClosed(p.exited) {
		p.drain()
	}
	if failure == nil {
		s.publish(Status{State: Stopped})
	} else {
		failure.Stderr = p.tail.tail()
		if isClosed(p.exited) {
			failure.Exit = string(p.exit)
		}
		s.fail(failure)
	}
	p.work.Go(func() { // the client may not be reading: the process is ended all the same
		p.connection.calls.close(s.endError(failure))
		s.client.ServerEnded(p.connection)
		s.client.Flush()
	})
	p.connection.out.close()
	p.terminate(s.options.Grace)
	p.drain()
	close(s.gone)
	_ = p.connection.session.Close() // never fails
	p.work.Wait()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// endError is the error that calls get which the child has not answered.
func (s *Server) endError(failure *Error) *wire.Error {
	if failure == nil {
		return &wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' was stopped", s.config.Key)}
	}
	return &wire.Error{
		Code:    jsonrpc.CodeInternalError,
		Message: fmt.Sprintf("Server '%s' crashed during operation", s.config.Key),
		Data:    crashData{Server: s.config.Key, ExitStatus: failure.Exit},
	}
}

// crashData is the data of the error that the calls of a dead child get.
type crashData struct {
	Server     string `json:"server"`
	ExitStatus string `json:"exitStatus,omitempty"` // empty when it had not exited by itself
}

// fail publishes a failure, removes the tools and logs.
func (s *Server) fail(e *Error) {
	e.Key = s.config.Key
	e.Reason = redact.Printable(s.redactor.Redact(e.Reason), 4*tailLineSize)
	s.tools.RemoveTools(s.config.Key)
	s.publish(Status{State: Failed, Err: e})
	if s.options.Quiet {
		return
	}
	attrs := []any{slog.String("phase", string(e.Phase)), slog.String("reason", e.Reason)}
	if e.Exit != "" {
		attrs = append(attrs, slog.String("exit", e.Exit))
	}
	if e.Stderr != "" {
		attrs = append(attrs, slog.String("stderr", e.Stderr))
	}
	s.log.Error("server failed", attrs...)
}

// publish publishes the new status. Only the owner calls it.
func (s *Server) publish(status Status) {
	status.Key = s.config.Key
	before := s.status.Swap(&status)
	if !before.Settled() && status.Settled() {
		close(s.settled)
	}
}
