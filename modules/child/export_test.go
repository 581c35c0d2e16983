package child

import (
	"io"
	"os/exec"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/wire"
)

// InheritedNames are the names of inherited variables.
var InheritedNames = inheritedNames

// Bounds.
const (
	MaxCanceled  = maxCanceled
	RingSize     = ringSize
	TailLineSize = tailLineSize
	MaxTools     = mcpclient.MaxTools
	DrainTime    = drainTime
)

// The errors of an Outbox.
var (
	ErrQueueFull    = errQueueFull
	ErrOutboxClosed = errOutboxClosed
)

// Launch calls start on the thread that starts children.
func Launch(start func() error) error { return launch(start) }

// Explain returns the error of starting command in words for users.
func Explain(command string, err error) error { return explain(exec.Command(command), err) }

func LookPath(command string, env []string, dir string) (string, error) {
	return lookPath(command, env, dir)
}

// Stderr is a stderrRing.
type Stderr struct{ ring *stderrRing }

func NewStderr(secrets ...string) Stderr {
	return Stderr{&stderrRing{redactor: redact.New(secrets)}}
}

func (s Stderr) Write(p []byte) (int, error) { return s.ring.Write(p) }

func (s Stderr) Tail() string { return s.ring.tail() }

func (s Stderr) CopyFrom(src io.Reader, show func(string)) { copyStderr(src, s.ring, show) }

// Outbox is an outbox.
type Outbox struct{ *outbox }

func NewOutbox(dst io.WriteCloser, limit int) Outbox { return Outbox{newOutbox(dst, limit)} }

func (o Outbox) Send(parts ...[]byte) error { return o.send(parts...) }

func (o Outbox) Flush() { o.flush() }

func (o Outbox) Close() { o.close() }

func (o Outbox) Run() { o.run() }

// PendingCalls are the pending calls of one child.
type PendingCalls struct{ pendingCalls }

// Cancel cancels the call that matches.
func (c *PendingCalls) Cancel(match func(Replier) bool) (int64, bool) { return c.cancel(match) }

// FailAll fails all calls with err.
func (c *PendingCalls) FailAll(err *wire.Error) { c.close(err) }

// PendingNotifications are the pending notifications of one child.
type PendingNotifications struct{ pendingNotifications }

// Send sends a line, once they are released.
func (n *PendingNotifications) Send(line string) { n.send([]byte(line)) }

// Release releases them to write.
func (n *PendingNotifications) Release(write func(line string)) {
	n.release(func(parts ...[]byte) { write(string(parts[0])) })
}
