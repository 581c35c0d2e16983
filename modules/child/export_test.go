package child

import (
	"io"
	"os/exec"

	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/toollist"
	"mcp-aggregator/modules/wire"
)

// InheritedNames are the names of the table.
var InheritedNames = inheritedNames

// Sizes that tests reckon with.
const (
	MaxLate      = maxLate
	RingSize     = ringSize
	TailLineSize = tailLineSize
	MaxTools     = toollist.MaxTools
	DrainTime    = drainTime
)

// The errors of an Outbox.
var (
	ErrQueueFull    = errQueueFull
	ErrOutboxClosed = errOutboxClosed
)

// Launch calls start where children are started.
func Launch(start func() error) error { return launch(start) }

// Explain says why command cannot be started.
func Explain(command string, err error) error { return explain(exec.Command(command), err) }

func LookPath(command string, env []string, dir string) (string, error) {
	return lookPath(command, env, dir)
}

// Stderr is a ring.
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

// Calls are calls.
type Calls struct{ calls }

func (c *Calls) Add(r Replier) (int64, *wire.Error) { return c.add(r) }

func (c *Calls) Take(id int64) (Replier, bool) { return c.take(id) }

func (c *Calls) Cancel(match func(Replier) bool) (int64, bool) { return c.cancel(match) }

func (c *Calls) End(err *wire.Error) { c.end(err) }

// Early are the pending notifications.
type Early struct{ pendingNotifications }

func (e *Early) Tell(line string) { e.tell([]byte(line)) }

func (e *Early) Introduced(send func(line string)) {
	e.introduced(func(parts ...[]byte) { send(string(parts[0])) })
}
