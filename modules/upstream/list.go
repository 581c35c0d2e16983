package upstream

import (
	"context"
	"sync"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// gate keeps tools/list waiting until every child has settled, or long enough.
type gate struct {
	once sync.Once
	open chan struct{}
}

// openGate starts the gate's clock, once, and returns what is closed when the
// lists need wait no longer.
func (s *AggregatorServer) openGate() <-chan struct{} {
	s.gate.once.Do(func() {
		s.work.Go(func() {
			defer close(s.gate.open)
			limit := time.NewTimer(s.options.ListWait)
			defer limit.Stop()
			for _, server := range s.servers.Statuses() {
				select {
				case <-s.servers.Settled(server.Key):
				case <-limit.C:
					return
				case <-s.stop:
					return
				}
			}
		})
	})
	return s.gate.open
}

// listTools answers tools/list from the snapshot, in one page.
func (s *AggregatorServer) listTools(m *wire.Message, to responder) {
	if problem := m.BadCursor(); problem != nil {
		to.fail(m.ID.Of(m.Line), problem)
		return
	}
	p := s.accept(m, to)
	if s.settled() {
		s.answerList(p)
		return
	}
	opened := s.openGate()
	s.parked.add()
	s.work.Go(func() {
		defer s.parked.done()
		<-opened
		s.answerList(p)
		s.out.Flush()
	})
}

func (s *AggregatorServer) settled() bool {
	for _, server := range s.servers.Statuses() {
		if !server.Settled {
			return false
		}
	}
	return true
}

func (s *AggregatorServer) answerList(p *clientRequest) {
	s.clientList.tell(s.tools, s.naming, func(tools []byte) {
		p.answer([]byte(`{"jsonrpc":"2.0","id":`), p.id, []byte(`,"result":{"tools":`), tools, []byte(`}}`))
	})
}

// clientList is what the client knows of the list: the version it last read or
// was told of. What is written under its lock reaches the client in the order
// of the versions.
type clientList struct {
	mu      sync.Mutex
	version int64
	told    bool          // the client has read a list
	fresh   chan struct{} // closed when it has
}

// tell writes the list as it is now, with the client's names.
func (k *clientList) tell(tools *registry.ToolRegistry, naming *registry.Naming, write func(tools []byte)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	snapshot := tools.Snapshot()
	write(snapshot.View(naming).ToolsJSON())
	k.version = snapshot.Version
	if !k.told {
		k.told = true
		close(k.fresh)
	}
}

// begin takes the list as known to a client that has not read one: it will.
func (k *clientList) begin(tools *registry.ToolRegistry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.told {
		k.version = tools.Snapshot().Version
	}
}

// update writes when the client does not know the list as it is now.
func (k *clientList) update(tools *registry.ToolRegistry, write func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version := tools.Snapshot().Version; version != k.version {
		write()
		k.version = version
	}
}

var listChanged = []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)

// announce tells the client of changes, several at a time. While the children
// start, the list changes with each of them: that is announced only to a
// client that has read a list already.
func (s *AggregatorServer) announce() {
	if !s.await(s.ready) || !s.awaitFirstList() {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	changes := s.tools.Subscribe(ctx)
	for {
		select {
		case <-changes.Changed():
		case <-s.stop:
			return
		}
		select {
		case <-time.After(s.options.Coalesce):
		case <-s.stop:
			return
		}
		s.clientList.update(s.tools, func() { s.out.line(listChanged) })
		s.out.Flush()
	}
}

func (s *AggregatorServer) await(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-s.stop:
		return false
	}
}

// awaitFirstList waits until the client has read a list or the list is whole.
func (s *AggregatorServer) awaitFirstList() bool {
	for _, server := range s.servers.Statuses() {
		select {
		case <-s.servers.Settled(server.Key):
		case <-s.clientList.fresh:
			return true
		case <-s.stop:
			return false
		}
	}
	s.clientList.begin(s.tools)
	return true
}
