package gateway

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mcp-aggregator/modules/wire"
)

// stream is the response to one POST: a JSON message or, if events precede it, a stream
// of server-sent events (HTML, server-sent events).
type stream struct {
	w              http.ResponseWriter
	keepAlive      time.Duration // between comments while nothing is sent
	keepAliveTimer *time.Timer

	mu            sync.Mutex
	queue         [][]byte // events to be written; nil is a comment
	queueBytes    int      // bytes of the events in queue
	isEventStream bool     // the header has been written
	finished      bool
	writing       chan struct{} // closed when writeQueued returns; nil while it does not run
}

// newStream returns a stream that writes to w. After keepAlive without a response it
// becomes an event stream with comments, so that proxies do not close the connection.
func newStream(w http.ResponseWriter, keepAlive time.Duration) *stream {
	s := &stream{w: w, keepAlive: keepAlive}
	s.mu.Lock() // writeKeepAlive reads keepAliveTimer
	defer s.mu.Unlock()
	s.keepAliveTimer = time.AfterFunc(keepAlive, s.writeKeepAlive)
	return s
}

// writeKeepAlive queues a comment, unless events are being written.
func (s *stream) writeKeepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished {
		return
	}
	if s.writing == nil {
		s.enqueueLocked(nil)
	}
	s.keepAliveTimer.Reset(s.keepAlive)
}

// maxQueueBytes bounds the events that wait for a client that does not read.
const maxQueueBytes = 16 << 20

// sendEvent queues a message. It does not block, and reports false if the stream is
// finished or the queue is full.
func (s *stream) sendEvent(line []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished || s.queueBytes > maxQueueBytes {
		return false
	}
	s.enqueueLocked(bytes.Clone(line))
	return true
}

// sendFinalEvent queues a response, even if the queue is full: it must not be lost, and
// there are at most as many as the batch has requests.
func (s *stream) sendFinalEvent(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueueLocked(line)
}

// enqueueLocked queues a message and starts writing; s.mu is held.
func (s *stream) enqueueLocked(line []byte) {
	s.queue = append(s.queue, line)
	s.queueBytes += len(line)
	s.startEventsLocked()
	if s.writing == nil {
		s.writing = make(chan struct{})
		go s.writeQueued(s.writing) // finish waits for it
	}
}

// startEventsLocked makes the response an event stream; s.mu is held.
func (s *stream) startEventsLocked() {
	if s.isEventStream {
		return
	}
	s.isEventStream = true
	startEventStream(s.w)
}

func startEventStream(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

// writeQueued writes events until the queue is empty.
func (s *stream) writeQueued(done chan struct{}) {
	defer close(done)
	for {
		s.mu.Lock()
		events := s.queue
		s.queue, s.queueBytes = nil, 0
		if len(events) == 0 {
			s.writing = nil
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		for _, line := range events {
			if line == nil {
				writeComment(s.w)
				continue
			}
			writeEvent(s.w, line)
		}
		flushResponse(s.w)
	}
}

// writeEvent writes one event. Its data is one line: line breaks in JSON are white space.
func writeEvent(w http.ResponseWriter, parts ...[]byte) {
	_, _ = w.Write(eventStart) // an error means that the client has disconnected
	for _, part := range parts {
		_, _ = w.Write(wire.OneLine(part))
	}
	_, _ = w.Write(eventEnd)
}

var (
	eventStart = []byte("event: message\ndata: ")
	eventEnd   = []byte("\n\n")
)

// writeComment writes a comment, which clients ignore (HTML, server-sent events).
func writeComment(w http.ResponseWriter) { _, _ = w.Write([]byte(":\n\n")) }

func flushResponse(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// finish drops further events and waits until those in the queue are written. It reports
// whether the response is an event stream.
func (s *stream) finish() (isEventStream bool) {
	s.mu.Lock()
	s.finished = true
	writing := s.writing
	s.mu.Unlock()
	s.keepAliveTimer.Stop()
	if writing != nil {
		<-writing
	}
	return s.isEventStream
}

// respond ends the response with a message made of parts.
func (s *stream) respond(parts ...[]byte) {
	if s.finish() {
		writeEvent(s.w, parts...)
		return
	}
	writeJSON(s.w, http.StatusOK, parts...)
}

// finishWithoutResponse ends the response without a message.
func (s *stream) finishWithoutResponse() {
	if !s.finish() {
		s.w.WriteHeader(http.StatusAccepted)
	}
}

func writeJSON(w http.ResponseWriter, status int, parts ...[]byte) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(size))
	w.WriteHeader(status)
	for _, part := range parts {
		_, _ = w.Write(part) // an error means that the client has disconnected
	}
}
