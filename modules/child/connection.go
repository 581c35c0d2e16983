package child

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/time/rate"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/wire"
)

// connection carries the messages of one child: requests leave under ids of ours, and
// responses go to their Repliers.
type connection struct {
	key      string
	log      *slog.Logger
	redactor *redact.Redactor
	client   Client
	out      *outbox
	calls    pendingCalls
	session  *wire.Session
	changes  mcpclient.Changes // of the child's tool list
	params   []byte            // of the client's initialize; written before the handshake begins
	pending  *pendingNotifications

	scanner wire.Scanner // of the reading goroutine
	line    wire.Message // likewise: the message that it handles
	limits  warningLimits
}

func newConnection(s *Server, out *outbox) *connection {
	c := &connection{
		key: s.config.Key, log: s.log, redactor: s.redactor, client: s.client, out: out, pending: &s.pending,
		changes: mcpclient.NewChanges(),
	}
	c.session = wire.NewSession(c.sendSession)
	return c
}

// call sends the line of m to the child, under an id of ours and, for
// tools/call, with the child's own name for the tool (raw JSON).
func (c *connection) call(m *wire.Message, name []byte, r Replier) {
	id, err := c.calls.Add(r)
	if err != nil {
		refusal := *err
		refusal.Unsent = true
		r.Fail(&refusal)
		return
	}
	var digits [20]byte
	parts := m.Parts(strconv.AppendInt(digits[:0], id, 10), name)
	if err := c.out.send(parts[:]...); err != nil {
		c.failUnsent(id, err)
	}
}

// failUnsent fails a request that could not be sent, unless the end of the child
// has done so already.
func (c *connection) failUnsent(id int64, err error) {
	r, ok := c.calls.Remove(id)
	if !ok {
		return
	}
	text := fmt.Sprintf("Server '%s' does not read its standard input", c.key)
	if errors.Is(err, errOutboxClosed) {
		text = fmt.Sprintf("Server '%s' has closed its standard input", c.key)
	}
	r.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: text, Unsent: true})
}

// listTools reads every page of the child's tools/list.
func (c *connection) listTools(ctx context.Context) ([][]byte, error) {
	return mcpclient.ListTools(func(params []byte) ([]byte, error) {
		return c.request(ctx, "tools/list", params)
	}, c.log)
}

// request makes a request of our own on the traffic plane and returns the raw
// result.
func (c *connection) request(ctx context.Context, method string, params []byte) ([]byte, error) {
	line := wire.AppendRequest(nil, []byte("0"), method, params)
	var m wire.Message
	if err := new(wire.Scanner).Scan(line, &m); err != nil {
		return nil, err
	}
	outcome := mcpclient.NewOutcome()
	c.call(&m, nil, outcome)
	c.out.flush()
	result, err := outcome.Wait(ctx, c.printable)
	if err != nil && ctx.Err() != nil {
		c.calls.cancel(func(r Replier) bool { return r == outcome })
	}
	return result, err
}

// Send implements Origin. A message to a child that does not read, or has ended, is
// dropped.
func (c *connection) Send(parts ...[]byte) {
	if err := c.out.send(parts...); errors.Is(err, errQueueFull) {
		c.warn("message not delivered", "reason", []byte(err.Error()))
	}
	c.out.flush()
}

// cancelCall carries the client's cancellation to the child for the first pending call that
// matches; it reports whether there is one.
func (c *connection) cancelCall(m *wire.Message, match func(Replier) bool) bool {
	id, ok := c.calls.cancel(match)
	if ok {
		span := m.Param("requestId")
		c.Send(m.Line[:span.Start], strconv.AppendInt(nil, id, 10), m.Line[span.End:])
	}
	return ok
}

// warn logs one fact about what the child said: of each kind a few times, then
// once a minute at most.
func (c *connection) warn(message, name string, fact []byte) {
	c.limits.of(message).Do(func() {
		c.log.Warn(message, slog.String(name, c.printable(fact))) //nolint:sloglint // the callers' messages are constants
	})
}

// printable returns text of the child's without secrets and control characters.
func (c *connection) printable(text []byte) string {
	return redact.Printable(c.redactor.Excerpt(text), tailLineSize)
}

// warningLimits limits the warnings of each kind.
type warningLimits struct {
	mu    sync.Mutex
	kinds map[string]*rate.Sometimes
}

func (l *warningLimits) of(kind string) *rate.Sometimes {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kinds == nil {
		l.kinds = make(map[string]*rate.Sometimes)
	}
	if l.kinds[kind] == nil {
		l.kinds[kind] = &rate.Sometimes{First: 5, Interval: time.Minute}
	}
	return l.kinds[kind]
}
