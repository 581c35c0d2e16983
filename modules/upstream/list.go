package upstream

import (
	"sync"
	"time"

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
