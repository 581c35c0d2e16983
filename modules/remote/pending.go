package remote

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// firstID is far above the ids of the SDK, which counts its requests from 1.
const firstID = 1 << 20

// pendingRequest is a request that the server has not answered.
type pendingRequest struct {
	id      int64 // on the wire
	line    []byte
	replier sessions.Replier
	ours    bool // no client's call

	mu       sync.Mutex
	canceled bool               // it must not be sent any more
	sent     bool               // it may have been sent
	abort    context.CancelFunc // ends the POST; nil before it and after it
}

// markSent records that the request is being sent, and how to abort that. It reports
// false if the request has been canceled before.
func (p *pendingRequest) markSent(abort context.CancelFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.canceled {
		return false
	}
	p.sent, p.abort = true, abort
	return true
}

// cancelUnsent prevents that the request is sent; it reports whether that was in time.
func (p *pendingRequest) cancelUnsent() (unsent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.canceled = true
	return !p.sent
}

// markDone records that the POST is over: there is nothing to abort.
func (p *pendingRequest) markDone() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.abort = nil
}

// abortPost aborts the POST, and the reading of its response.
func (p *pendingRequest) abortPost() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.abort != nil {
		p.abort()
	}
}

// pendingRequests are the requests of a session that the server has not answered, by their
// ids on the wire.
type pendingRequests struct {
	*mcpclient.Pending[*pendingRequest]
}

func newPendingRequests() pendingRequests {
	return pendingRequests{mcpclient.NewPending[*pendingRequest](firstID)}
}

func newError(text string, unsent bool) *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: text, Unsent: unsent}
}

// addRequest files a request and gives it its id.
func (ps pendingRequests) addRequest(p *pendingRequest) (refusal *wire.Error) {
	p.id, refusal = ps.Add(p)
	return refusal
}

// removeCallOf removes the request whose Replier is r.
func (ps pendingRequests) removeCallOf(r sessions.Replier) (*pendingRequest, int64, bool) {
	for id, p := range ps.Snapshot() {
		if p.replier == r {
			_, ok := ps.Remove(id)
			return p, id, ok
		}
	}
	return nil, 0, false
}

// failRequest fails p with an error of ours, unless p has been answered.
func (ps pendingRequests) failRequest(p *pendingRequest, text string, unsent bool) {
	if _, ok := ps.Remove(p.id); ok {
		p.replier.Fail(newError(text, unsent))
	}
}

// failAll fails all pending requests, and every later one.
func (ps pendingRequests) failAll(text string) {
	for _, p := range ps.Close(newError(text, true)) {
		p.replier.Fail(newError(text, p.cancelUnsent()))
	}
}
