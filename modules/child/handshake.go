package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/wire"
)

// startup is the time from the spawning of a child until it is ready: the handshake, the
// list of its tools, and the time that both may take.
type startup struct {
	phase  Phase // what a failure now is a failure of
	began  time.Time
	done   chan listing
	warn   *time.Timer
	giveUp *time.Timer
}

// listing is a tool list, or why it could not be read.
type listing struct {
	tools [][]byte             // raw definitions
	info  mcpclient.ServerInfo // of a handshake
	err   error
}

func newStartup() *startup {
	return &startup{
		phase: Startup,
		done:  make(chan listing, 1),
		warn:  stoppedTimer(), giveUp: stoppedTimer(),
	}
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// handshake starts the timers and returns the handshake, which reports to done.
func (s *startup) handshake(ctx context.Context, c *connection, params InitializeParams, options Options) func() {
	s.phase, s.began = Initialization, time.Now()
	s.warn.Reset(options.WarnAfter)
	s.giveUp.Reset(options.HandshakeTimeout)
	return func() {
		s.done <- c.handshake(ctx, params)
	}
}

// ready ends the startup and returns how long it took.
func (s *startup) ready() time.Duration {
	s.phase = Runtime
	s.stopTimers()
	return time.Since(s.began)
}

func (s *startup) stopTimers() {
	s.warn.Stop()
	s.giveUp.Stop()
}

// handshake initializes the session with the child and reads the definitions of its
// tools.
func (c *connection) handshake(ctx context.Context, params InitializeParams) (l listing) {
	c.params = params.Raw
	identity := mcpclient.Identity{Name: "mcp-simple-aggregator", Capabilities: "{}"}
	session, err := identity.Connect(ctx, c.session, params.ProtocolVersion)
	if err != nil {
		return listing{err: explainRefusal(err)}
	}
	c.pending.release(c.Send)
	answer := session.InitializeResult()
	hasTools, err := mcpclient.HasTools(answer)
	if err != nil {
		return listing{err: fmt.Errorf("initialize: it answered with %w", err)}
	}
	l.info = mcpclient.InfoOf(answer)
	if hasTools {
		l.tools, l.err = c.listTools(ctx)
	}
	return l
}

// explainRefusal explains an initialize that was not answered with a result. A child
// that does not know the method, or none of the versions, may be stateless.
func explainRefusal(err error) error {
	const stateless = mcpclient.FirstStateless
	refusal, ok := errors.AsType[*jsonrpc.Error](err)
	if ok && (refusal.Code == jsonrpc.CodeMethodNotFound || refusal.Code == mcp.CodeUnsupportedProtocolVersion ||
		strings.Contains(refusal.Message+string(refusal.Data), stateless)) {
		return fmt.Errorf("initialize: it does not speak the revisions of MCP up to %s, perhaps only %s, which is not supported: %w",
			mcpclient.ProtocolVersion, stateless, err)
	}
	return fmt.Errorf("initialize: %w", err)
}

// sendSession sends what the SDK's client writes. Its initialize gets the params that
// the client's own had: the SDK's types are closed and would drop what they do
// not know.
func (c *connection) sendSession(m *wire.Message) error {
	defer c.out.flush()
	if m.Kind != wire.Request {
		if err := c.out.send(m.Line); !errors.Is(err, errQueueFull) {
			return err
		}
		return nil // not an error, over which the SDK would end the session
	}
	id := bytes.Clone(m.ID.Of(m.Line))
	c.call(c.withClientParams(m), nil, &sessionReplier{connection: c, id: id, initialize: m.MethodIs("initialize")})
	return nil
}

func (c *connection) withClientParams(m *wire.Message) *wire.Message {
	if !m.MethodIs("initialize") || len(c.params) == 0 {
		return m
	}
	var out wire.Message
	if err := new(wire.Scanner).Scan(wire.Splice(m.Line, m.Params, c.params), &out); err != nil {
		return m
	}
	return &out
}

// sessionReplier delivers the child's response to the SDK, under the SDK's id.
type sessionReplier struct {
	connection *connection
	id         []byte
	initialize bool // only what the SDK needs is delivered
}

// Reply implements Replier.
func (r *sessionReplier) Reply(response *wire.Message) {
	result := response.Result.Of(response.Line)
	if version := wire.Member(result, "protocolVersion").Of(result); r.initialize && version != nil {
		if version[0] != '"' {
			r.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: "it answered with a protocolVersion that is no string"})
			return
		}
		r.deliver(wire.MinimalInitializeResponse(r.id, result))
		return
	}
	r.deliver(response.WithID(r.id))
}

// Fail implements Replier.
func (r *sessionReplier) Fail(err *wire.Error) { r.deliver(wire.AppendErrorLine(nil, r.id, err)) }

func (r *sessionReplier) deliver(line []byte) {
	var m wire.Message
	err := new(wire.Scanner).Scan(line, &m)
	if err == nil {
		err = r.connection.session.Deliver(&m)
	}
	if err != nil && !errors.Is(err, mcp.ErrConnectionClosed) {
		r.connection.warn("response ignored", "reason", []byte(err.Error()))
	}
}
