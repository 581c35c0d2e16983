package gateway

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mcp-aggregator/modules/wire"
)

// stream is the response to one POST: one JSON message, or, when there is something
// to say before, a stream of events (HTML, server-sent events).
type stream struct {
	w              http.ResponseWriter
	keepAlive      time.Duration // between comments while there is nothing to say
	keepAliveTimer *time.Timer

	mu            sync.Mutex
	queue         [][]byte // events not yet written
	queueBytes    int      // bytes of them
	isEventStream bool     // it is a stream of events
	finished      bool
	writing       chan struct{} // closed when nobody writes waiting events; nil likewise
}

// newStream returns the response w. Whatever stands between us and the client may take
// a long silence for the end: from some time on, it becomes a stream with comments.
func newStream(w http.ResponseWriter, every time.Duration) *stream {
	s := &stream{w: w, keepAlive: every}
	s.mu.Lock() // or it might breathe before it has a pulse
	defer s.mu.Unlock()
	s.keepAliveTimer = time.AfterFunc(every, s.writeKeepAlive)
	return s
}

// writeKeepAlive writes a comment, in time.
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

// maxQueueBytes bounds what waits for a client that does not read, in bytes.
const maxQueueBytes = 16 << 20

// sendEvent has a message written, in time. It does not block, and reports false when
// the stream is over or the client does not read.
func (s *stream) sendEvent(line []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished || s.queueBytes > maxQueueBytes {
		return false
	}
	s.enqueueLocked(bytes.Clone(line))
	return true
}

// sendFinalEvent has an answer written, in time: nobody says it again, so it waits however much
// does already. There are no more of them than requests in the batch.
func (s *stream) sendFinalEvent(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueueLocked(line)
}

// enqueueLocked has a message wait until it is written; the lock is held.
func (s *stream) enqueueLocked(line []byte) {
	s.queue = append(s.queue, line)
	s.queueBytes += len(line)
	s.startEventsLocked()
	if s.writing == nil {
		s.writing = make(chan struct{})
		go s.writeQueued(s.writing) // close joins it
	}
}

// startEventsLocked makes the response a stream of events; the lock is held.
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

// writeQueued writes what waits, until nothing does.
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

// writeEvent writes one event. Its data is one line: what breaks lines in JSON is
// white space.
func writeEvent(w http.ResponseWriter, parts ...[]byte) {
	_, _ = w.Write(eventStart) // a client that has gone is noticed elsewhere
	for _, part := range parts {
		_, _ = w.Write(wire.OneLine(part))
	}
	_, _ = w.Write(eventEnd)
}

var (
	eventStart = []byte("event: message\ndata: ")
	eventEnd   = []byte("\n\n")
)

// writeComment writes what clients ignore (HTML, server-sent events).
func writeComment(w http.ResponseWriter) { _, _ = w.Write([]byte(":\n\n")) }

func flushResponse(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// finish takes no further events and waits until those there are have been written.
func (s *stream) finish() (begun bool) {
	s.mu.Lock()
	s.finished = true
	pumping := s.writing
	s.mu.Unlock()
	s.keepAliveTimer.Stop()
	if pumping != nil {
		<-pumping
	}
	return s.isEventStream
}

// respond ends the response with one message, made of parts.
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
		_, _ = w.Write(part) // a client that has gone needs no answer
	}
}
