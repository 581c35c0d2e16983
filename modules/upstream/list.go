package upstream

import (
	"context"
	"sync"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// listGate delays tools/list until all children have settled, or until a timeout.
type listGate struct {
	once sync.Once
	open chan struct{}
}

// startListGate starts the timeout on first use. It returns a channel that is closed when
// lists need not wait any longer.
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

// listTools answers tools/list, in one page.
func (s *AggregatorServer) listTools(m *wire.Message, to responder) {
	if problem := m.CheckCursor(); problem != nil {
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
	if s.leanTools != nil {
		return s.leanView(snapshot).list()
	}
	return snapshot.View(s.naming).ToolsJSON()
}

// clientList tracks which version of the list the client has read or been notified of.
// Its lock is held while a list or notification is written, so that the client receives
// them in the order of the versions.
type clientList struct {
	versionOf func(*registry.Snapshot) string

	mu        sync.Mutex
	version   string
	hasRead   bool          // the client has read a list
	firstRead chan struct{} // closed when it has
}

// writeTools calls write with the current snapshot and records its version.
func (k *clientList) writeTools(tools *registry.ToolRegistry, write func(snapshot *registry.Snapshot)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	snapshot := tools.Snapshot()
	write(snapshot)
	k.version = k.versionOf(snapshot)
	if !k.hasRead {
		k.hasRead = true
		close(k.firstRead)
	}
}

// assumeCurrent records the current version for a client that has not read a list: when
// it does, it gets this version or a later one.
func (k *clientList) assumeCurrent(tools *registry.ToolRegistry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.hasRead {
		k.version = k.versionOf(tools.Snapshot())
	}
}

// notifyIfChanged calls write if the client does not know the current version.
func (k *clientList) notifyIfChanged(tools *registry.ToolRegistry, write func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version := k.versionOf(tools.Snapshot()); version != k.version {
		write()
		k.version = version
	}
}

var listChanged = []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)

// announceChanges sends notifications/tools/list_changed, one for changes in quick
// succession. While the children start, the list changes with each of them; only a client
// that has read a list is notified of that.
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

// waitForFirstList waits until the client has read a list or all children have settled.
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
