package remote

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/mcpclient"
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

// pendingRequests are the requests of a session that are not answered, by their ids on the wire.
type pendingRequests struct {
	*mcpclient.Pending[*pendingRequest]
}

func newPendingRequests() pendingRequests {
	return pendingRequests{mcpclient.NewPending[*pendingRequest](firstID)}
}

func errorOfOurs(text string, unsent bool) *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: text, Unsent: unsent}
}

// add files a request and gives it its id.
func (ps pendingRequests) add(p *pendingRequest) (refusal *wire.Error) {
	p.id, refusal = ps.Add(p)
	return refusal
}

// takeOf removes the request of r.
func (ps pendingRequests) takeOf(r sessions.Replier) (*pendingRequest, int64, bool) {
	for id, p := range ps.Snapshot() {
		if p.replier == r {
			_, ok := ps.Remove(id)
			return p, id, ok
		}
	}
	return nil, 0, false
}

// fail fails p, unless it was answered, with an error of ours.
func (ps pendingRequests) fail(p *pendingRequest, text string, unsent bool) {
	if _, ok := ps.Remove(p.id); ok {
		p.replier.Fail(errorOfOurs(text, unsent))
	}
}

// end fails all requests, and every later one.
func (ps pendingRequests) end(text string) {
	for _, p := range ps.Close(errorOfOurs(text, true)) {
		p.replier.Fail(errorOfOurs(text, p.cancel()))
	}
}
