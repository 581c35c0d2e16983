package remote

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"mcp-aggregator/modules/sessions"
)

// Event is an event as ReadEvents returns it.
type Event struct {
	Name, ID, Retry, Data string
	Cut                   bool
}

// ReadEvents reads all events of src.
func ReadEvents(src io.Reader, limit int) (read []Event) {
	events := &eventReader{src: bufio.NewReaderSize(src, lineSize), data: &buffer{limit: limit, budget: newReadBudget(math.MaxInt)}}
	for {
		ev, err := events.nextEvent()
		if err != nil {
			return read
		}
		read = append(read, Event{ev.name, ev.id, ev.retry, string(ev.data), ev.overflow != ""})
	}
}

// Ends are functions that end a session.
var Ends = map[string]func(sessions.Session){
	"the server forgets it": func(s sessions.Session) { s.(*session).endForgotten() },
	"it breaks":             func(s sessions.Session) { s.(*session).endBecause("it broke") },
	"it is closed":          sessions.Session.Close,
	"it is forgotten, then lost": func(s sessions.Session) {
		s.(*session).endForgotten()
		s.(*session).endBecause("it broke")
	},
}

// CallDuring makes a call with that line, whose id is ID, and calls meanwhile between
// accepting and sending it.
func CallDuring(on sessions.Session, line string, r sessions.Replier, meanwhile func()) {
	s := on.(*session)
	p := &pendingRequest{replier: r}
	if refusal := s.pending.addRequest(p); refusal != nil {
		r.Fail(refusal)
		return
	}
	meanwhile()
	s.sendRequest(p, bytes.Replace([]byte(line), []byte("ID"), strconv.AppendInt(nil, p.id, 10), 1))
}

// Reading returns how much of Options.MaxReading the sessions of d have reserved.
func Reading(d sessions.Dialer) int {
	own := d.(*httpDialer)
	return own.options.MaxReading - int(own.budget.left.Load())
}

// PendingIDs returns the ids of the pending calls of s on the wire.
func PendingIDs(s sessions.Session) []int64 {
	return slices.Sorted(maps.Keys(s.(*session).pending.Snapshot()))
}
