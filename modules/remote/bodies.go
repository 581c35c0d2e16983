package remote

import (
	"io"

	"mcp-aggregator/modules/wire"
)

// stream is the body of a response with events: it gives the SDK one event a read,
// with what is for it.
type stream struct {
	in      incoming
	src     io.ReadCloser
	events  *events
	pending []byte
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (int, error) {
	for len(s.pending) == 0 {
		ev, err := s.events.next()
		if err != nil {
			return 0, err
		}
		s.pending = s.in.event(ev)
	}
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	return n, nil
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	s.in.close()
	return s.src.Close()
}

// event takes what is for us out of ev, and returns what the SDK gets of it.
func (in *incoming) event(ev event) []byte {
	if in.of != nil {
		in.of.resuming(true)
	}
	if in.session.sse && ev.name == "endpoint" {
		return appendEvent(nil, ev)
	}
	var out []byte
	if len(ev.data) > 0 && (ev.name == "" || ev.name == "message") {
		for _, line := range in.receive(ev.data, ev.cut) {
			out = appendEvent(out, event{data: line})
		}
		wire.GiveBack(cap(ev.data))
	}
	if ev.id != "" || ev.retry != "" {
		out = append(appendEvent(nil, event{id: ev.id, retry: ev.retry}), out...)
	}
	return out
}

// document is the body of a response that is one JSON text.
type document struct {
	in      incoming
	src     io.ReadCloser
	read    bool
	pending []byte
}

// Read implements [io.Reader].
func (d *document) Read(p []byte) (int, error) {
	if !d.read {
		if err := d.fill(); err != nil {
			return 0, err
		}
		d.read = true
	}
	if len(d.pending) == 0 {
		return 0, io.EOF
	}
	n := copy(p, d.pending)
	d.pending = d.pending[n:]
	return n, nil
}

// fill reads the whole text. A call gets its answer here or fails, so that the SDK
// always has one.
func (d *document) fill() error {
	limit := int64(d.in.session.options.MaxMessage)
	body, err := io.ReadAll(io.LimitReader(d.src, limit+1))
	c := d.in.of
	if err != nil && c != nil && c.context().Err() != nil {
		return err
	}
	cut := int64(len(body)) > limit
	if err == nil {
		d.pending = joined(d.in.receive(body, cut))
		wire.GiveBack(cap(body))
	}
	if c == nil {
		return err
	}
	text := "the server answered with something else than the answer to the call"
	if err != nil {
		text = d.in.session.shown(broken(err, false))
	}
	d.in.session.calls.fail(c, text, false)
	d.pending = c.stub()
	return nil
}

// Close implements [io.Closer].
func (d *document) Close() error {
	d.in.close()
	return d.src.Close()
}
