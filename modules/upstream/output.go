package upstream

import "mcp-aggregator/modules/wire"

// Output is the one way to the client's ear: everything written to it passes
// here, in the order it is written.
type Output struct {
	w             *wire.Writer
	flushRequests chan struct{} // somebody has lines to be flushed and must not do it
}

// NewOutput returns the output of stdio.
func NewOutput(stdio Stdio) *Output {
	enlargePipe(stdio.Out)
	return &Output{w: wire.NewWriter(stdio.Out), flushRequests: make(chan struct{}, 1)}
}

// Flush writes out what has gathered.
func (o *Output) Flush() { _ = o.w.Flush() } // Broken tells of an error

// requestFlush is Flush for the reading goroutine, which must hear the end of its
// input behind a client that takes no answers: flushDue does it.
func (o *Output) requestFlush() {
	if o.w.Gathered() {
		select {
		case o.flushRequests <- struct{}{}:
		default:
		}
	}
}

// flushRequested flushes for others, until stop.
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

// Broken is closed when the client no longer takes what is written.
func (o *Output) Broken() <-chan struct{} { return o.w.Broken() }

// Err is why Broken is closed.
func (o *Output) Err() error { return o.w.Err() }

func (o *Output) writeLine(parts ...[]byte) { _ = o.w.WriteLine(parts...) } // Broken tells of an error

func (o *Output) writeError(id []byte, err *wire.Error) {
	o.writeLine(wire.AppendErrorLine(nil, id, err))
}

// skipResponse implements responder: nobody counts the lines.
func (*Output) skipResponse() {}
