package upstream

import (
	"context"
	"sync"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// listGate keeps tools/list waiting until every child has settled, or long enough.
type listGate struct {
	once sync.Once
	open chan struct{}
}

// startListGate starts the gate's clock, once, and returns what is closed when the
// lists need wait no longer.
func (s *AggregatorServer) startListGate() <-chan struct{} {
	s.listGate.once.Do(func() {
		s.work.Go(func() {
			defer close(s.listGate.open)
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
	return s.listGate.open
}

// listTools answers tools/list from the snapshot, in one page.
func (s *AggregatorServer) listTools(m *wire.Message, to responder) {
	if problem := m.BadCursor(); problem != nil {
		to.writeError(m.ID.Of(m.Line), problem)
		return
	}
	p := s.acceptRequest(m, to)
	if s.allSettled() {
		s.answerList(p)
		return
	}
	opened := s.startListGate()
	s.parkedCount.increment()
	s.work.Go(func() {
		defer s.parkedCount.decrement()
		<-opened
		s.answerList(p)
		s.out.Flush()
	})
}

func (s *AggregatorServer) allSettled() bool {
	for _, server := range s.servers.Statuses() {
		if !server.Settled {
			return false
		}
	}
	return true
}

func (s *AggregatorServer) answerList(p *clientRequest) {
	s.clientList.writeTools(s.tools, func(snapshot *registry.Snapshot) {
		p.respond([]byte(`{"jsonrpc":"2.0","id":`), p.id, []byte(`,"result":{"tools":`), s.toolsJSON(snapshot), []byte(`}}`))
	})
}

// toolsJSON returns the JSON array of the tools that the client sees. It is the only
// place where the client's list is made.
func (s *AggregatorServer) toolsJSON(snapshot *registry.Snapshot) []byte {
	return snapshot.View(s.naming).ToolsJSON()
}

// clientList is what the client knows of the list: the version it last read or
// was told of. What is written under its lock reaches the client in the order
// of the versions.
type clientList struct {
	mu        sync.Mutex
	version   int64
	hasRead   bool          // the client has read a list
	firstRead chan struct{} // closed when it has
}

// writeTools has write send the list as it is now.
func (k *clientList) writeTools(tools *registry.ToolRegistry, write func(snapshot *registry.Snapshot)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	snapshot := tools.Snapshot()
	write(snapshot)
	k.version = snapshot.Version
	if !k.hasRead {
		k.hasRead = true
		close(k.firstRead)
	}
}

// assumeCurrent takes the list as known to a client that has not read one: it will.
func (k *clientList) assumeCurrent(tools *registry.ToolRegistry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.hasRead {
		k.version = tools.Snapshot().Version
	}
}

// notifyIfChanged writes when the client does not know the list as it is now.
func (k *clientList) notifyIfChanged(tools *registry.ToolRegistry, write func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version := tools.Snapshot().Version; version != k.version {
		write()
		k.version = version
	}
}

var listChanged = []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)

// announceChanges tells the client of changes, several at a time. While the children
// start, the list changes with each of them: that is announced only to a
// client that has read a list already.
func (s *AggregatorServer) announceChanges() {
	if !s.waitUnlessStopped(s.ready) || !s.waitForFirstList() {
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
		s.clientList.notifyIfChanged(s.tools, func() { s.out.writeLine(listChanged) })
		s.out.Flush()
	}
}

func (s *AggregatorServer) waitUnlessStopped(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-s.stop:
		return false
	}
}

// waitForFirstList waits until the client has read a list or the list is whole.
func (s *AggregatorServer) waitForFirstList() bool {
	for _, server := range s.servers.Statuses() {
		select {
		case <-s.servers.Settled(server.Key):
		case <-s.clientList.firstRead:
			return true
		case <-s.stop:
			return false
		}
	}
	s.clientList.assumeCurrent(s.tools)
	return true
}
