package remote

import (
	"bytes"
	"context"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// firstID is far above the ids of the SDK, which counts what it asks from 1.
const firstID = 1 << 20

// call is one request to the server that is not answered yet.
type call struct {
	id      int64 // on the wire
	line    []byte
	replier sessions.Replier
	context func() context.Context // knows the call, see callOf
	cancel  context.CancelFunc     // of that context
	over    chan struct{}          // closed when the stream of its answer has been read
	release func()                 // closes over

	mu      sync.Mutex
	sdk     []byte // the id under which the SDK waits for it; nil before it was written
	dropped bool   // it must not be written any more
	resumed int    // times in a row that its stream broke and said nothing new
}

// callKey is where the context of a request of HTTP says which call it is made for.
type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// written takes note of the SDK's id, just before the request goes to HTTP. It
// reports false for a call that was given up before.
func (c *call) written(id []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sdk = bytes.Clone(id)
	return !c.dropped
}

// drop gives the call up; it reports whether it has never been written.
func (c *call) drop() (unsent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropped = true
	return c.sdk == nil
}

// stub is an answer that tells the SDK no more than that there is one.
func (c *call) stub() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sdk == nil {
		return nil
	}
	return append(append([]byte(`{"jsonrpc":"2.0","id":`), c.sdk...), `,"result":{}}`...)
}

// resuming counts how often the stream was resumed in vain; news begins anew.
func (c *call) resuming(news bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resumed++; news {
		c.resumed = 0
	}
	return c.resumed
}

// calls are the open ones.
type calls struct {
	mu    sync.Mutex
	open  map[int64]*call
	next  int64
	ended *wire.Error // what later ones fail with; nil while there may be some
}

// add files a call and gives it its id.
func (cs *calls) add(c *call) *wire.Error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.ended != nil {
		return cs.ended
	}
	if cs.open == nil {
		cs.open, cs.next = make(map[int64]*call), firstID
	}
	c.id = cs.next
	cs.next++
	cs.open[c.id] = c
	return nil
}

// take removes the call with that id: who gets it answers it.
func (cs *calls) take(id int64) (*call, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c, ok := cs.open[id]
	delete(cs.open, id)
	return c, ok
}

// takeRaw is take for an id as the server wrote it: it may write 4 as 4.0.
func (cs *calls) takeRaw(raw []byte) (*call, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		n, err = strconv.ParseInt(string(wire.KeyOf(raw)), 10, 64)
	}
	if err != nil {
		return nil, false
	}
	return cs.take(n)
}

// takeOf is take for the call of r.
func (cs *calls) takeOf(r sessions.Replier) (*call, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for id, c := range cs.open {
		if c.replier == r {
			delete(cs.open, id)
			return c, true
		}
	}
	return nil, false
}

// isOpen reports whether c has not been answered.
func (cs *calls) isOpen(c *call) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.open[c.id] == c
}

// fail ends c, if nothing else has, with an error of ours.
func (cs *calls) fail(c *call, text string, unsent bool) {
	if _, ok := cs.take(c.id); ok {
		c.replier.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: text, Unsent: unsent})
	}
}

// refuse fails every later call.
func (cs *calls) refuse(text string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.ended = &wire.Error{Code: jsonrpc.CodeInternalError, Message: text, Unsent: true}
}

// end fails all calls, and every later one.
func (cs *calls) end(text string) {
	cs.refuse(text)
	cs.mu.Lock()
	left := cs.open
	cs.open = nil
	cs.mu.Unlock()
	for _, c := range left {
		c.replier.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: text, Unsent: c.drop()})
	}
}
