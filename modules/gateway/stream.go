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
	w                 http.ResponseWriter
	keepAliveInterval time.Duration // between comments while there is nothing to say
	alive             *time.Timer

	mu      sync.Mutex
	waiting [][]byte // events not yet written
	size    int      // bytes of them
	begun   bool     // it is a stream of events
	over    bool
	writing chan struct{} // closed when nobody writes waiting events; nil likewise
}

// newStream returns the response w. Whatever stands between us and the client may take
// a long silence for the end: from some time on, it becomes a stream with comments.
func newStream(w http.ResponseWriter, every time.Duration) *stream {
	s := &stream{w: w, keepAliveInterval: every}
	s.mu.Lock() // or it might breathe before it has a pulse
	defer s.mu.Unlock()
	s.alive = time.AfterFunc(every, s.keepAlive)
	return s
}

// keepAlive writes a comment, in time.
func (s *stream) keepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	if s.writing == nil {
		s.wait(nil)
	}
	s.alive.Reset(s.keepAliveInterval)
}

// maxWaiting bounds what waits for a client that does not read, in bytes.
const maxWaiting = 16 << 20

// event has a message written, in time. It does not block, and reports false when
// the stream is over or the client does not read.
func (s *stream) event(line []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.size > maxWaiting {
		return false
	}
	s.wait(bytes.Clone(line))
	return true
}

// last has an answer written, in time: nobody says it again, so it waits however much
// does already. There are no more of them than requests in the batch.
func (s *stream) last(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait(line)
}

// wait has a message wait until it is written; the lock is held.
func (s *stream) wait(line []byte) {
	s.waiting = append(s.waiting, line)
	s.size += len(line)
	s.begin()
	if s.writing == nil {
		s.writing = make(chan struct{})
		go s.writeQueued(s.writing) // close joins it
	}
}

// begin makes the response a stream of events; the lock is held.
func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	startEvents(s.w)
}

func startEvents(w http.ResponseWriter) {
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
		events := s.waiting
		s.waiting, s.size = nil, 0
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
		flush(s.w)
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

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// close takes no further events and waits until those there are have been written.
func (s *stream) close() (begun bool) {
	s.mu.Lock()
	s.over = true
	pumping := s.writing
	s.mu.Unlock()
	s.alive.Stop()
	if pumping != nil {
		<-pumping
	}
	return s.begun
}

// answer ends the response with one message, made of parts.
func (s *stream) answer(parts ...[]byte) {
	if s.close() {
		writeEvent(s.w, parts...)
		return
	}
	writeJSON(s.w, http.StatusOK, parts...)
}

// leave ends the response without a message.
func (s *stream) leave() {
	if !s.close() {
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
