package mcpclient

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"mcp-aggregator/modules/wire"
)

// Pending holds the requests that a server has not answered, by their ids on the wire. The
// goroutine that removes a request answers it, so each gets one answer. The zero value
// counts its ids from 1.
type Pending[R any] struct {
	mu      sync.Mutex
	last    int64 // id
	open    map[int64]R
	refusal *wire.Error // of every later request; nil while there may be some
}

// NewPending returns a Pending whose first id is first.
func NewPending[R any](first int64) *Pending[R] { return &Pending[R]{last: first - 1} }

// Add files r under an id of its own. It returns the refusal, if there is one.
func (p *Pending[R]) Add(r R) (id int64, refusal *wire.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusal != nil {
		return 0, p.refusal
	}
	if p.open == nil {
		p.open = make(map[int64]R)
	}
	p.last++
	p.open[p.last] = r
	return p.last, nil
}

// Remove removes the request with that id and returns it.
func (p *Pending[R]) Remove(id int64) (R, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.open[id]
	delete(p.open, id)
	return r, ok
}

// RemoveRaw removes the request with the id that the server wrote: it may write 4 as 4.0.
func (p *Pending[R]) RemoveRaw(raw []byte) (r R, ok bool) {
	id, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		id, err = strconv.ParseInt(string(wire.KeyOf(raw)), 10, 64)
	}
	if err != nil {
		return r, false
	}
	return p.Remove(id)
}

// Has reports whether the request with that id is pending.
func (p *Pending[R]) Has(id int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.open[id]
	return ok
}

// Snapshot returns the requests that are pending now, so that no lock is held while they
// are looked through.
func (p *Pending[R]) Snapshot() map[int64]R {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.open)
}

// Refuse refuses every later request.
func (p *Pending[R]) Refuse(refusal *wire.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusal = refusal
}

// Refuses reports whether later requests are refused.
func (p *Pending[R]) Refuses() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refusal != nil
}

// Close refuses every later request and removes all others, which it returns in the order
// of their ids.
func (p *Pending[R]) Close(refusal *wire.Error) []R {
	p.mu.Lock()
	open := p.open
	p.open, p.refusal = nil, refusal
	p.mu.Unlock()
	left := make([]R, 0, len(open))
	for _, id := range slices.Sorted(maps.Keys(open)) {
		left = append(left, open[id])
	}
	return left
}
