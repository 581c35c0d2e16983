package remote

import (
	"context"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// firstID is far above the ids of the SDK, which counts what it asks from 1.
const firstID = 1 << 20

// pendingRequest is a request to the server that is not answered yet.
type pendingRequest struct {
	id      int64 // on the wire
	line    []byte
	replier sessions.Replier
	ours    bool // nobody's call

	mu        sync.Mutex
	cancelled bool               // it must not be sent any more
	begun     bool               // it may have been sent
	abort     context.CancelFunc // ends the POST; nil before it and after it
}

// begin takes note that the request is being sent, and of what breaks that off. It
// reports false if the request was cancelled before.
func (p *pendingRequest) begin(abort context.CancelFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancelled {
		return false
	}
	p.begun, p.abort = true, abort
	return true
}

// cancel has the request not sent any more; it reports whether that came in time.
func (p *pendingRequest) cancel() (unsent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancelled = true
	return !p.begun
}

// finish takes note that the POST is over: nothing is to be ended any more.
func (p *pendingRequest) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.abort = nil
}

// breakOff ends the POST, and the reading of its answer.
func (p *pendingRequest) breakOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.abort != nil {
		p.abort()
	}
}

// pendingRequests are those of a session, by their ids. Who takes one out answers it:
// so each has one answer.
type pendingRequests struct {
	mu      sync.Mutex
	open    map[int64]*pendingRequest
	next    int64
	refusal string // of every later one; empty while there may be some
}

func errorOfOurs(text string, unsent bool) *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: text, Unsent: unsent}
}

// add files a request and gives it its id.
func (ps *pendingRequests) add(p *pendingRequest) *wire.Error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.refusal != "" {
		return errorOfOurs(ps.refusal, true)
	}
	if ps.open == nil {
		ps.open, ps.next = make(map[int64]*pendingRequest), firstID
	}
	p.id = ps.next
	ps.next++
	ps.open[p.id] = p
	return nil
}

// take removes the request with that id.
func (ps *pendingRequests) take(id int64) (*pendingRequest, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, ok := ps.open[id]
	delete(ps.open, id)
	return p, ok
}

// takeRaw is take for an id as the server wrote it: it may write 4 as 4.0.
func (ps *pendingRequests) takeRaw(raw []byte) (*pendingRequest, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		n, err = strconv.ParseInt(string(wire.KeyOf(raw)), 10, 64)
	}
	if err != nil {
		return nil, false
	}
	return ps.take(n)
}

// takeOf is take for the request of r.
func (ps *pendingRequests) takeOf(r sessions.Replier) (*pendingRequest, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for id, p := range ps.open {
		if p.replier == r {
			delete(ps.open, id)
			return p, true
		}
	}
	return nil, false
}

// has reports whether p has not been answered.
func (ps *pendingRequests) has(p *pendingRequest) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.open[p.id] == p
}

// fail answers p, if nothing else has, with an error of ours.
func (ps *pendingRequests) fail(p *pendingRequest, text string, unsent bool) {
	if _, ok := ps.take(p.id); ok {
		p.replier.Fail(errorOfOurs(text, unsent))
	}
}

// refuse fails every later request.
func (ps *pendingRequests) refuse(text string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.refusal = text
}

// end fails all requests, and every later one.
func (ps *pendingRequests) end(text string) {
	ps.mu.Lock()
	left := ps.open
	ps.open, ps.refusal = nil, text
	ps.mu.Unlock()
	for _, p := range left {
		p.replier.Fail(errorOfOurs(text, p.cancel()))
	}
}
