package remote

import "io"

// filter is the body of an event stream as the SDK reads it: whatever is said goes past
// it, but for the address of the SSE transport, the answer to initialize, and the ids by
// which the SDK resumes the stream. It gives one event a read. Between two reads it holds
// no message.
type filter struct {
	in      *receiver
	src     io.ReadCloser
	events  *events
	pending []byte
}

// Read implements [io.Reader].
func (f *filter) Read(p []byte) (int, error) {
	for len(f.pending) == 0 {
		ev, err := f.events.next()
		if err != nil {
			f.in.data.reset()
			return 0, err
		}
		f.pending = f.pass(ev)
		f.in.data.reset()
	}
	n := copy(p, f.pending)
	f.pending = f.pending[n:]
	return n, nil
}

// Close implements [io.Closer].
func (f *filter) Close() error { return f.src.Close() }

// pass takes what is for us out of ev, and returns what the SDK gets of it.
func (f *filter) pass(ev event) (out []byte) {
	if f.in.session.sse && ev.name == "endpoint" {
		return appendEvent(nil, ev)
	}
	f.in.event(ev)
	if ev.id != "" || ev.retry != "" {
		out = appendEvent(nil, event{id: ev.id, retry: ev.retry})
	}
	if answer := f.in.forSDK; answer != nil {
		f.in.forSDK = nil
		out = appendEvent(out, event{data: answer})
	}
	return out
}

// introduction is the body of an answer to initialize that is one JSON text.
type introduction struct {
	in   *receiver
	src  io.ReadCloser
	read bool
}

// Read implements [io.Reader].
func (d *introduction) Read(p []byte) (int, error) {
	if !d.read {
		_, err := d.in.data.ReadFrom(d.src)
		if err == nil {
			d.in.receive(d.in.data.bytes, d.in.data.excess)
		}
		d.in.data.reset()
		if err != nil {
			return 0, err
		}
		d.read = true
	}
	if len(d.in.forSDK) == 0 {
		return 0, io.EOF
	}
	n := copy(p, d.in.forSDK)
	d.in.forSDK = d.in.forSDK[n:]
	return n, nil
}

// Close implements [io.Closer].
func (d *introduction) Close() error { return d.src.Close() }
