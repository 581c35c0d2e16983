package upstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strconv"
	"sync"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// LeanTools gives access to the tools in the lean mode (docs/lean.md).
type LeanTools interface {
	// Catalogue returns what a client with that naming sees of a snapshot. Unlisted
	// reports whether a name that no tool has may be one of a server that is starting or
	// has failed. A search waits until the snapshot is indexed.
	Catalogue(snapshot *registry.Snapshot, naming *registry.Naming, unlisted func(name string) bool) lean.Catalogue
}

// leanView is what the client sees of one snapshot in the lean mode.
type leanView struct {
	snapshot  *registry.Snapshot
	catalogue lean.Catalogue
	list      func() []byte // the JSON array of the three tools and the pinned ones
}

// leanView returns the view of a snapshot, and makes it if another one was used last.
func (s *AggregatorServer) leanView(snapshot *registry.Snapshot) *leanView {
	if v := s.lastLeanView.Load(); v != nil && v.snapshot == snapshot {
		return v
	}
	v := &leanView{snapshot: snapshot, catalogue: s.leanTools.Catalogue(snapshot, s.naming, s.mayBeUnlisted)}
	v.list = sync.OnceValue(func() []byte {
		pinned := snapshot.View(s.naming).Definitions(s.options.Pins)
		return lean.Definitions(v.catalogue.Servers()).Array(pinned...)
	})
	s.lastLeanView.Store(v)
	return v
}

// listVersion returns a text that differs when the client's list does.
func (s *AggregatorServer) listVersion(snapshot *registry.Snapshot) string {
	if s.leanTools == nil {
		return strconv.FormatInt(snapshot.Version, 10)
	}
	sum := sha256.Sum256(s.leanView(snapshot).list())
	return string(sum[:])
}

// mayBeUnlisted reports whether a call of a name that the client's view does not have is
// passed on: the tool may be one of a child that is initializing, or has failed, which the
// error then says.
func (s *AggregatorServer) mayBeUnlisted(name string) bool {
	entry, key := s.resolveTool([]byte(name))
	if entry != nil || key != "" {
		return true
	}
	failed, _ := s.failedOwner(name)
	return failed != nil
}

// callLeanTool answers a call of one of the three tools, or passes on the call that it asks
// for. A call that searches is answered later, since it may have to wait.
func (s *AggregatorServer) callLeanTool(m *wire.Message, name string, to responder) {
	if name != lean.CallTool {
		s.answerLater(m, name, to)
		return
	}
	c := &searchDetector{Catalogue: s.leanView(s.tools.Snapshot()).catalogue}
	outcome := lean.Call(context.Background(), c, name, m.Params.Of(m.Line))
	switch {
	case outcome.Forward != nil:
		s.forwardInnerCall(m, outcome.Forward, to)
	case c.searched:
		s.answerLater(m, name, to)
	default:
		to.writeLine([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Line), []byte(`,"result":`), outcome.Result, []byte(`}`))
	}
}

// searchDetector is a catalogue that records a search instead of searching: the goroutine
// that reads must not wait.
type searchDetector struct {
	lean.Catalogue

	searched bool
}

// Search implements lean.Catalogue.
func (d *searchDetector) Search(context.Context, string, int, []string) ([]lean.Hit, error) {
	d.searched = true
	return nil, nil
}

// forwardInnerCall passes on the call that a call_tool asks for, as a direct one is.
func (s *AggregatorServer) forwardInnerCall(m *wire.Message, f *lean.Forward, to responder) {
	line := wire.Replace(m.Line, wire.Edit{Span: m.Params, With: f.Params})
	var inner wire.Message
	if err := s.scanner.Scan(line, &inner); err != nil { // impossible: all parts have been scanned
		to.writeError(m.ID.Of(m.Line), wire.InvalidParams(err.Error()))
		return
	}
	f.Params, f.Arguments = nil, inner.Param("arguments").Of(line)
	s.forwardCall(&inner, []byte(f.Name), withKeptArguments(f), to)
}

// directCall returns what a direct call in the lean mode is, for the edits of its response.
func directCall(m *wire.Message, name []byte) *lean.Forward {
	arguments := m.Param("arguments").Of(m.Line)
	if arguments == nil {
		arguments = []byte("{}")
	}
	return withKeptArguments(&lean.Forward{Name: string(name), Arguments: arguments})
}

// maxKeptArguments is how long arguments may be, in bytes, that are kept until the response.
// Larger ones are not compared with the tool's schema.
const maxKeptArguments = 256 << 10

// withKeptArguments copies the arguments of a call, since its message is valid only now.
func withKeptArguments(f *lean.Forward) *lean.Forward {
	if len(f.Arguments) > maxKeptArguments {
		f.Arguments = nil
	}
	f.Arguments = bytes.Clone(f.Arguments)
	return f
}

// answerLater answers a call of one of the three tools as tools/list is answered: once all
// children have settled, or after a timeout.
func (s *AggregatorServer) answerLater(m *wire.Message, name string, to responder) {
	request := s.acceptRequest(m, to)
	params := bytes.Clone(m.Params.Of(m.Line))
	ctx := s.searches.begin(request)
	s.parkedCount.increment()
	s.work.Go(func() {
		defer s.parkedCount.decrement()
		defer s.searches.finish(request)
		if !s.allSettled() {
			select {
			case <-s.startListGate():
			case <-ctx.Done():
			}
		}
		outcome := lean.Call(ctx, s.leanView(s.tools.Snapshot()).catalogue, name, params)
		if outcome.Forward != nil { // the tool that it names has come only now
			request.Fail(wire.InternalError("The tools have changed during the call"))
		} else {
			request.respond([]byte(`{"jsonrpc":"2.0","id":`), request.id, []byte(`,"result":`), outcome.Result, []byte(`}`))
		}
		s.out.Flush()
	})
}

// searches are the open requests that the aggregator itself answers, and that may wait.
type searches struct {
	mu   sync.Mutex
	open map[*clientRequest]context.CancelFunc // nil once the server stops
}

// begin adds a request. The context ends when it is cancelled, or the server stops.
func (c *searches) begin(r *clientRequest) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		cancel()
		return ctx
	}
	c.open[r] = cancel
	return ctx
}

func (c *searches) finish(r *clientRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.open[r]; cancel != nil {
		cancel()
		delete(c.open, r)
	}
}

// cancelOpen ends the request that matches. It reports whether there is one.
func (c *searches) cancelOpen(match func(Replier) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for r, cancel := range c.open {
		if match(r) {
			cancel()
			return true
		}
	}
	return false
}

// close ends the contexts of all requests, and of later ones.
func (c *searches) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.open {
		cancel()
	}
	c.open = nil
}
