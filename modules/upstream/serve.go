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

// readLoop handles the client's lines until the stream ends or the server stops.
func (s *AggregatorServer) readLoop() {
	lines := wire.NewReader(s.stdio.In, s.options.MaxMessage)
	for {
		line, err := lines.ReadLine()
		if s.isStopping() {
			return
		}
		tooLong, dropped := errors.AsType[*wire.TooLongError](err)
		switch {
		case dropped:
			s.handleOversized(tooLong.Envelope, wire.InvalidRequest(tooLong.Error()))
		case err != nil:
			s.recordReadError(err)
			return
		default:
			s.handleLine(line)
		}
		if !lines.Buffered() {
			s.flusher.Flush()
			s.out.requestFlush()
		}
	}
}

// endSession waits for the end of the client's input, then for the responses to open
// requests, and closes done.
func (s *AggregatorServer) endSession(ended <-chan struct{}) {
	defer close(s.done)
	select {
	case <-ended:
		s.drainRequests()
	case <-s.out.Broken():
	case <-s.stop:
	}
	waitAtMost(finalFlushTimeout, s.out.Flush)
	s.recordWriteError()
}

// drainRequests waits for the responses to open requests after the client has closed its
// end: for lists, and calls to initializing children, as long as a list waits; then up to
// DrainTimeout for all calls.
func (s *AggregatorServer) drainRequests() {
	select {
	case <-s.parkedCount.idle():
	case <-s.startListGate():
	case <-s.out.Broken():
		return
	case <-s.stop:
		return
	}
	select {
	case <-s.inFlight.idle():
	case <-time.After(s.options.DrainTimeout):
	case <-s.out.Broken():
	case <-s.stop:
	}
}

// recordWriteError records why the stream to the client broke, if it did. That the client
// has closed it is not an error.
func (s *AggregatorServer) recordWriteError() {
	select {
	case <-s.out.Broken():
	default:
		return
	}
	if err := s.out.Err(); !errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.ErrClosedPipe) {
		s.err.Store(&err)
	}
}

// recordReadError records why reading ended, unless it is the end of the stream.
func (s *AggregatorServer) recordReadError(err error) {
	if !errors.Is(err, io.EOF) {
		s.err.Store(&err)
	}
}

func (s *AggregatorServer) isStopping() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// handleLine handles one line of the client.
func (s *AggregatorServer) handleLine(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	if err := s.scanner.Scan(line, &s.current); err != nil {
		s.handleInvalidJSON(line, wire.ParseError(err.Error()))
		return
	}
	if s.current.Kind == wire.Batch && s.version == wire.BatchRevision {
		s.handleBatch(line)
		return
	}
	s.handleMessage(&s.current, s.out)
}

// handleMessage handles one message. Responses go to to.
func (s *AggregatorServer) handleMessage(m *wire.Message, to responder) {
	if m.Kind == wire.Response {
		s.handleResponse(m)
		return
	}
	if problem := m.Malformed(); problem != nil {
		to.writeError(m.ResponseID(), problem)
		return
	}
	if m.Kind == wire.Request {
		s.handleRequest(m, to)
		return
	}
	s.handleNotification(m)
}

func (s *AggregatorServer) handleRequest(m *wire.Message, to responder) {
	switch {
	case s.initialized() && m.MethodIs("tools/call"): // the most frequent
		s.markClientReady()
		s.callTool(m, to)
	case m.MethodIs("ping"):
		s.handlePing(m, to)
	case m.MethodIs("initialize"):
		s.handleInitialize(m, to)
	case !s.initialized():
		to.writeError(m.ID.Of(m.Line), wire.InvalidRequest("initialize comes first"))
	case m.MethodIs("tools/list"):
		s.markClientReady()
		s.listTools(m, to)
	default:
		method, _ := wire.Unquote(m.Method.Of(m.Line))
		to.writeError(m.ID.Of(m.Line), wire.MethodNotFound(method))
	}
}

// initialized reports whether client and server have agreed on a version. Only the
// reading goroutine may call it.
func (s *AggregatorServer) initialized() bool { return s.version != "" }

// markClientReady allows requests and notifications to the client.
func (s *AggregatorServer) markClientReady() {
	s.readyOnce.Do(func() {
		close(s.ready)
		s.requests.flushQueued()
	})
}

// handleNotification handles a notification of the client.
func (s *AggregatorServer) handleNotification(m *wire.Message) {
	switch {
	case !s.initialized(), isRequestMethod(m):
	case m.MethodIs("notifications/initialized"):
		s.markClientReady()
		if err := s.session.Deliver(m); err != nil {
			s.log.Debug("initialized ignored", slog.String("reason", err.Error()))
		}
	case m.MethodIs("notifications/cancelled"):
		s.cancelCall(m)
	case m.MethodIs("notifications/progress"):
		s.requests.deliverProgress(m)
	default:
		s.caller.Broadcast(m)
	}
}

// isRequestMethod reports whether m has the method of a request that the aggregator
// handles. Without an id, it is not for the children either.
func isRequestMethod(m *wire.Message) bool {
	return m.MethodIs("initialize") || m.MethodIs("ping") || m.MethodIs("tools/list") || m.MethodIs("tools/call")
}

// handleResponse handles the client's response to a request of a child.
func (s *AggregatorServer) handleResponse(m *wire.Message) {
	if string(m.JSONRPC.Of(m.Line)) != `"2.0"` {
		s.requests.failAnswered(wire.EnvelopeOf(m.Line), wire.InvalidRequest(`jsonrpc must be "2.0"`))
		return
	}
	if m.Duplicate != "" || !s.requests.deliverResponse(m) {
		s.log.Debug("response ignored: there is no open request with its id")
	}
}

// handleInvalidJSON answers a line that is not JSON. The error has a null id, since the
// id cannot be known (JSON-RPC 2.0, section 5).
func (s *AggregatorServer) handleInvalidJSON(line []byte, problem *wire.Error) {
	if envelope := wire.EnvelopeOf(line); bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) && s.requests.failAnswered(envelope, problem) {
		return
	}
	s.out.writeError(wire.NullID, problem)
}

// handleOversized answers a message that was dropped because of its size.
func (s *AggregatorServer) handleOversized(envelope wire.Envelope, problem *wire.Error) {
	switch id := []byte(envelope.ID); {
	case s.requests.failAnswered(envelope, problem):
	case envelope.HasMethod && wire.IsID(id):
		s.out.writeError(id, problem)
	case envelope.HasMethod:
	default:
		s.out.writeError(wire.NullID, problem)
	}
}
