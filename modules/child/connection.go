package child

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/time/rate"

	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/wire"
)

// connection is the conversation with one child: its lines go to whoever waits for
// them, and requests leave under ids of ours.
type connection struct {
	key      string
	log      *slog.Logger
	redactor *redact.Redactor
	client   Client
	out      *outbox
	calls    calls
	session  *wire.Session
	changed  chan struct{} // the child says that its tool list has changed
	hello    Introduction  // written before the handshake begins
	early    *pendingNotifications

	scanner wire.Scanner // of the reading goroutine
	line    wire.Message // likewise: what it is handling
	noise   rates        // of warnings about lines that say nothing to us
}

func newLink(c *child, out *outbox) *connection {
	l := &connection{
		key: c.server.Key, log: c.log, redactor: c.redactor, client: c.client, out: out, early: &c.early,
		changed: make(chan struct{}, 1),
	}
	l.session = wire.NewSession(l.sendSession)
	return l
}

// call asks the child what the line of m asks, under an id of ours and, for
// tools/call, with the child's own name for the tool (raw JSON).
func (l *connection) call(m *wire.Message, name []byte, r Replier) {
	id, err := l.calls.add(r)
	if err != nil {
		refusal := *err
		refusal.Unsent = true
		r.Fail(&refusal)
		return
	}
	var digits [20]byte
	parts := m.Parts(strconv.AppendInt(digits[:0], id, 10), name)
	if err := l.out.send(parts[:]...); err != nil {
		l.withdraw(id, err)
	}
}

// withdraw fails a request that could not be sent, unless the end of the child
// has answered it already.
func (l *connection) withdraw(id int64, err error) {
	r, ok := l.calls.take(id)
	if !ok {
		return
	}
	text := fmt.Sprintf("Server '%s' does not read its standard input", l.key)
	if errors.Is(err, errOutboxClosed) {
		text = fmt.Sprintf("Server '%s' has closed its standard input", l.key)
	}
	r.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: text, Unsent: true})
}

// read handles the child's output line by line until it ends.
func (l *connection) read(src io.Reader, limit int) {
	lines := wire.NewReader(src, limit)
	for {
		line, err := lines.ReadLine()
		if tooLong, ok := errors.AsType[*wire.TooLongError](err); ok {
			l.oversized(tooLong)
		} else if err != nil {
			l.client.Flush()
			return
		} else {
			l.handle(line)
		}
		if !lines.Buffered() {
			l.client.Flush()
		}
	}
}

func (l *connection) handle(line []byte) {
	switch err := l.scanner.Scan(line, &l.line); {
	case errors.Is(err, wire.ErrNotUTF8):
		l.notUTF8(line)
	case err != nil:
		l.notJSON(line)
	case l.line.Kind == wire.Batch:
		l.batch(line)
	default:
		l.message(&l.line)
	}
}

func (l *connection) message(m *wire.Message) {
	switch {
	case m.Kind == wire.Other:
		l.warn("line on standard output is not a JSON-RPC message", "line", m.Line)
	case string(m.JSONRPC.Of(m.Line)) != `"2.0"`:
		l.unversioned(m)
	case m.Duplicate != "" && !harmless(m):
		l.warn("message ignored", "reason", []byte(m.Duplicate+" stands twice"))
	case m.Kind == wire.Response:
		l.response(m)
	case m.Line[m.Method.Start] != '"':
		l.warn("line on standard output is not a JSON-RPC message", "line", m.Line)
	case m.Kind == wire.Request:
		l.request(m)
	default:
		l.notification(m)
	}
}

// batch handles the messages of a batch one by one. Only revision 2025-03-26
// has batches (basic#batching); nothing is lost by taking those of others.
func (l *connection) batch(line []byte) {
	empty := true
	for span := range wire.Elements(line) {
		empty = false
		var m wire.Message
		if err := l.scanner.Scan(span.Of(line), &m); err == nil {
			l.message(&m)
		}
	}
	if empty {
		l.warn("batch on standard output is empty", "line", line)
	}
}

// harmless reports whether what stands twice in a message is nothing that
// routing reads: an answer goes by its id alone.
func harmless(m *wire.Message) bool {
	if m.Kind != wire.Response {
		return false
	}
	ids := 0
	for raw := range wire.Members(m.Line) {
		if name, _ := wire.Unquote(raw); name == "id" {
			ids++
		}
	}
	return ids == 1
}

// response hands the child's answer to the one who waits for it.
func (l *connection) response(m *wire.Message) {
	if m.HasResultAndError() {
		l.warn("answer ignored", "reason", []byte("it has both a result and an error"))
		l.fail(m.ID.Of(m.Line), "answered with both a result and an error")
		return
	}
	raw := m.ID.Of(m.Line)
	r, ok := l.take(raw)
	if !ok && l.calls.over() { // it was asked, and answered for the child
		return
	}
	if !ok {
		l.warn("answer ignored: nothing was asked under its id", "id", raw)
		return
	}
	r.Reply(m)
}

func (l *connection) take(id []byte) (Replier, bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil { // the child may write 4 as 4.0
		n, err = strconv.ParseInt(string(wire.KeyOf(id)), 10, 64)
	}
	if err != nil {
		return nil, false
	}
	return l.calls.take(n)
}

// request answers a ping and passes everything else to the client.
func (l *connection) request(m *wire.Message) {
	if !m.MethodIs("ping") {
		l.client.Pass(m, l)
		return
	}
	if err := l.session.Deliver(m); err != nil {
		l.warn("ping ignored", "reason", []byte(err.Error()))
	}
}

// notification takes note of a changed tool list and passes everything else to
// the client.
func (l *connection) notification(m *wire.Message) {
	if !m.MethodIs("notifications/tools/list_changed") {
		l.client.Pass(m, l)
		return
	}
	select {
	case l.changed <- struct{}{}:
	default: // it will be read again anyway
	}
}

// Send implements Origin. A child that does not read, or has ended, misses it.
func (l *connection) Send(parts ...[]byte) {
	if err := l.out.send(parts...); errors.Is(err, errQueueFull) {
		l.warn("message not delivered", "reason", []byte(err.Error()))
	}
	l.out.flush()
}

// cancel tells the child that the client has cancelled the first open call that
// matches; it reports whether there was one.
func (l *connection) cancel(m *wire.Message, match func(Replier) bool) bool {
	id, ok := l.calls.cancel(match)
	if ok {
		span := m.Param("requestId")
		l.Send(m.Line[:span.Start], strconv.AppendInt(nil, id, 10), m.Line[span.End:])
	}
	return ok
}

// warn logs one fact about what the child said: of each kind a few times, then
// now and then.
func (l *connection) warn(message, name string, fact []byte) {
	l.noise.of(message).Do(func() {
		l.log.Warn(message, slog.String(name, l.shown(fact))) //nolint:sloglint // the callers' messages are constants
	})
}

// shown makes text of the child's fit for a message.
func (l *connection) shown(text []byte) string {
	return redact.Printable(l.redactor.Excerpt(text), tailLineSize)
}

// rates limits the warnings, each kind for itself.
type rates struct {
	mu    sync.Mutex
	kinds map[string]*rate.Sometimes
}

func (r *rates) of(kind string) *rate.Sometimes {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kinds == nil {
		r.kinds = make(map[string]*rate.Sometimes)
	}
	if r.kinds[kind] == nil {
		r.kinds[kind] = &rate.Sometimes{First: 5, Interval: time.Minute}
	}
	return r.kinds[kind]
}
