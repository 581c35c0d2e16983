package upstream

import "mcp-aggregator/modules/wire"

// Output is the stream to the client. All writers share it; messages are written in the
// order of the calls.
type Output struct {
	w             *wire.Writer
	flushRequests chan struct{} // from requestFlush to flushRequested
}

// NewOutput returns the output on stdio.
func NewOutput(stdio Stdio) *Output {
	enlargePipe(stdio.Out)
	return &Output{w: wire.NewWriter(stdio.Out), flushRequests: make(chan struct{}, 1)}
}

// Flush writes out what is buffered. An error closes Broken.
func (o *Output) Flush() { _ = o.w.Flush() }

// requestFlush has flushRequested flush. The reading goroutine uses it instead of Flush:
// it must see the end of its input while a client does not read.
func (o *Output) requestFlush() {
	if o.w.NeedsFlush() {
		select {
		case o.flushRequests <- struct{}{}:
		default:
		}
	}
}

// flushRequested flushes on request, until stop is closed.
func (o *Output) flushRequested(stop <-chan struct{}) {
	for {
		select {
		case <-o.flushRequests:
			o.Flush()
		case <-stop:
			return
		}
	}
}

// Broken returns a channel that is closed when the client cannot be written to any more.
func (o *Output) Broken() <-chan struct{} { return o.w.Broken() }

// Err returns why Broken is closed.
func (o *Output) Err() error { return o.w.Err() }

// writeLine implements responder. An error closes Broken.
func (o *Output) writeLine(parts ...[]byte) { _ = o.w.WriteLine(parts...) }

func (o *Output) writeError(id []byte, err *wire.Error) {
	o.writeLine(wire.AppendErrorLine(nil, id, err))
}

// skipResponse implements responder. Lines are not counted.
func (*Output) skipResponse() {}
