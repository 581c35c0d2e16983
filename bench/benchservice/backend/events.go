package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// events holds the sessions over HTTP with server-sent events (MCP 2024-11-05,
// basic/transports), by number.
type events struct {
	mu       sync.Mutex
	last     int
	sessions map[string]chan []byte // answers
}

func newEvents() *events { return &events{sessions: make(map[string]chan []byte)} }

// room is the number of answers buffered for a stream. When it is full, POSTs block.
const room = 256

// open serves the stream of one session: first the URL to post to, then the answers.
// Buffered answers are written together.
func (e *events) open(w http.ResponseWriter, r *http.Request) {
	id, answers := e.begin()
	defer e.end(id)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "event: endpoint\ndata: /message?session=%s\n\n", id)
	for stream := http.NewResponseController(w); ; {
		if len(answers) == 0 {
			if err := stream.Flush(); err != nil {
				return
			}
		}
		select {
		case answer := <-answers:
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", answer)
		case <-r.Context().Done():
			return
		}
	}
}

func (e *events) begin() (id string, answers chan []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	id, answers = strconv.Itoa(e.last), make(chan []byte, room)
	e.sessions[id] = answers
	return id, answers
}

func (e *events) end(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, id)
}

func (e *events) post(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	answers := e.sessions[r.FormValue("session")]
	e.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || answers == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	if answer := answerTo(body); answer != nil {
		select {
		case answers <- answer:
		case <-r.Context().Done():
		}
	}
}
