package gateway

import (
	"net/http"
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

// batch handles the messages of a batch at once; the answers are events of one stream.
func (g *Gateway) batch(w http.ResponseWriter, r *http.Request, s *session, body []byte) {
	out := newStream(w, g.options.KeepAlive)
	var requests sync.WaitGroup
	empty := true
	for span := range wire.Elements(body) {
		empty = false
		var m wire.Message
		if err := new(wire.Scanner).Scan(span.Of(body), &m); err != nil { // never: the batch was scanned
			continue
		}
		g.element(r, s, &m, &part{out}, &requests)
	}
	requests.Wait()
	switch begun := out.close(); {
	case empty && !begun:
		refuse(w, wire.Null, wire.InvalidRequest("the batch is empty"))
	case !begun:
		w.WriteHeader(http.StatusAccepted)
	}
}

// element handles one message.
func (g *Gateway) element(r *http.Request, s *session, m *wire.Message, out responder, requests *sync.WaitGroup) {
	problem := m.Malformed()
	switch {
	case m.Kind == wire.Response:
		s.answered(m)
	case problem != nil:
		out.answer(failure(m.Answerable(), problem))
	case m.Kind == wire.Notification:
		g.notification(r, s, m)
	default:
		if handle := g.begin(r, s, m, out); handle != nil {
			requests.Go(handle)
		}
	}
}

// part is the share of one message of a batch in the stream.
type part struct{ *stream }

func (p *part) answer(parts ...[]byte) {
	p.last(slices.Concat(parts...))
}

func (p *part) leave() {}
