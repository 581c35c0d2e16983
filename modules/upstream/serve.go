package upstream

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"syscall"
	"time"

	"mcp-aggregator/modules/wire"
)

func (s *AggregatorServer) read() {
	lines := wire.NewReader(s.in.In, s.options.MaxMessage)
	for {
		line, err := lines.ReadLine()
		if s.stopping() {
			return
		}
		tooLong, dropped := errors.AsType[*wire.TooLongError](err)
		switch {
		case dropped:
			s.oversized(tooLong.Envelope, wire.InvalidRequest(tooLong.Error()))
		case err != nil:
			s.ended(err)
			return
		default:
			s.handle(line)
		}
		if !lines.Buffered() {
			s.flusher.Flush()
			s.out.haveFlushed()
		}
	}
}

// serve waits for the end of the client's lines, has answered what is open, and
// ends the session.
func (s *AggregatorServer) serve(ended <-chan struct{}) {
	defer close(s.done)
	select {
	case <-ended:
		s.drain()
	case <-s.out.Broken():
	case <-s.stop:
	}
	within(lastAnswers, s.out.Flush)
	s.noteBroken()
}

// drain waits for the answers to what the client asked before it closed its
// end: for lists, and calls to children that are not ready, as long as a list
// waits anyway; then a little more for the calls.
func (s *AggregatorServer) drain() {
	select {
	case <-s.parked.whenIdle():
	case <-s.openGate():
	case <-s.out.Broken():
		return
	case <-s.stop:
		return
	}
	select {
	case <-s.open.whenIdle():
	case <-time.After(s.options.LastCalls):
	case <-s.out.Broken():
	case <-s.stop:
	}
}

// noteBroken takes note of why the client's stream broke, if it did: that the
// client has gone is no failure.
func (s *AggregatorServer) noteBroken() {
	select {
	case <-s.out.Broken():
	default:
		return
	}
	if err := s.out.Err(); !errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.ErrClosedPipe) {
		s.err.Store(&err)
	}
}

func (s *AggregatorServer) ended(err error) {
	if !errors.Is(err, io.EOF) {
		s.err.Store(&err)
	}
}

func (s *AggregatorServer) stopping() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

func (s *AggregatorServer) handle(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	if err := s.scanner.Scan(line, &s.line); err != nil {
		s.invalidJSON(line, wire.ParseError(err.Error()))
		return
	}
	if s.line.Kind == wire.Batch && s.version == batchVersion {
		s.batch(line)
		return
	}
	s.message(&s.line, s.out)
}

// message handles one message, whose answer goes to to.
func (s *AggregatorServer) message(m *wire.Message, to responder) {
	if m.Kind == wire.Response {
		s.response(m)
		return
	}
	if problem := m.Malformed(); problem != nil {
		to.fail(m.Answerable(), problem)
		return
	}
	if m.Kind == wire.Request {
		s.request(m, to)
		return
	}
	s.notification(m)
}

func (s *AggregatorServer) request(m *wire.Message, to responder) {
	switch {
	case s.initialized() && m.MethodIs("tools/call"): // most are
		s.clientReady()
		s.callTool(m, to)
	case m.MethodIs("ping"):
		s.ping(m, to)
	case m.MethodIs("initialize"):
		s.initialize(m, to)
	case !s.initialized():
		to.fail(m.ID.Of(m.Line), wire.InvalidRequest("initialize comes first"))
	case m.MethodIs("tools/list"):
		s.clientReady()
		s.listTools(m, to)
	default:
		method, _ := wire.Unquote(m.Method.Of(m.Line))
		to.fail(m.ID.Of(m.Line), wire.MethodNotFound(method))
	}
}

// initialized reports whether client and server have agreed on a version. Only
// the reading goroutine may ask.
func (s *AggregatorServer) initialized() bool { return s.version != "" }

func (s *AggregatorServer) clientReady() {
	s.isReady.Do(func() {
		close(s.ready)
		s.requests.flushQueued()
	})
}

// notification handles one of the client's.
func (s *AggregatorServer) notification(m *wire.Message) {
	switch {
	case !s.initialized(), requestOnly(m):
	case m.MethodIs("notifications/initialized"):
		s.clientReady()
		if err := s.session.Deliver(m); err != nil {
			s.log.Debug("initialized ignored", slog.String("reason", err.Error()))
		}
	case m.MethodIs("notifications/cancelled"):
		s.cancelCall(m)
	case m.MethodIs("notifications/progress"):
		s.requests.progress(m)
	default:
		s.caller.Broadcast(m)
	}
}

// requestOnly reports whether m is a request of ours that lacks its id: nobody
// else's business.
func requestOnly(m *wire.Message) bool {
	return m.MethodIs("initialize") || m.MethodIs("ping") || m.MethodIs("tools/list") || m.MethodIs("tools/call")
}

// response takes the client's answer to a request of a child.
func (s *AggregatorServer) response(m *wire.Message) {
	if string(m.JSONRPC.Of(m.Line)) != `"2.0"` {
		s.requests.refuse(wire.EnvelopeOf(m.Line), wire.InvalidRequest(`jsonrpc must be "2.0"`))
		return
	}
	if m.Duplicate != "" || !s.requests.answer(m) {
		s.log.Debug("answer of the client ignored: nothing was asked under its id")
	}
}

// invalidJSON answers a line that is no JSON. Its id may be anything, so the answer
// has none (JSON-RPC 2.0, section 5).
func (s *AggregatorServer) invalidJSON(line []byte, problem *wire.Error) {
	if envelope := wire.EnvelopeOf(line); bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) && s.requests.refuse(envelope, problem) {
		return
	}
	s.out.fail(wire.Null, problem)
}

// oversized answers a message that was dropped for its size.
func (s *AggregatorServer) oversized(envelope wire.Envelope, problem *wire.Error) {
	switch id := []byte(envelope.ID); {
	case s.requests.refuse(envelope, problem):
	case envelope.Method && wire.IsID(id):
		s.out.fail(id, problem)
	case envelope.Method:
	default:
		s.out.fail(wire.Null, problem)
	}
}
