package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/wire"
)

// handshake introduces the client to the child and returns the definitions of
// its tools.
func (l *connection) handshake(ctx context.Context, hello Introduction) ([][]byte, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "mcp-simple-aggregator"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		Logger:       slog.New(slog.DiscardHandler),
	})
	l.hello = hello
	session, err := client.Connect(ctx, l.session,
		&mcp.ClientSessionOptions{ProtocolVersion: hello.ProtocolVersion})
	if err != nil {
		return nil, unspoken(err)
	}
	l.early.introduced(l.Send)
	answer := session.InitializeResult()
	if eraOf(answer.ProtocolVersion) != legacy {
		return nil, fmt.Errorf("initialize: it answered with protocol version %q, which was not offered", answer.ProtocolVersion)
	}
	if answer.Capabilities == nil || answer.Capabilities.Tools == nil {
		return nil, nil
	}
	return l.listTools(ctx)
}

// sendSession sends what the SDK's client writes. Its initialize carries what
// the client's own said: the SDK's types are closed and would drop what they do
// not know.
func (l *connection) sendSession(m *wire.Message) error {
	defer l.out.flush()
	if m.Kind != wire.Request {
		if err := l.out.send(m.Line); !errors.Is(err, errQueueFull) {
			return err
		}
		return nil // the SDK would end its session, which goes on when the child reads again
	}
	id := bytes.Clone(m.ID.Of(m.Line))
	l.call(l.introduce(m), nil, &sessionReplier{link: l, id: id, plain: m.MethodIs("initialize")})
	return nil
}

func (l *connection) introduce(m *wire.Message) *wire.Message {
	if !m.MethodIs("initialize") || len(l.hello.Initialize) == 0 {
		return m
	}
	var out wire.Message
	if err := new(wire.Scanner).Scan(wire.Splice(m.Line, m.Params, l.hello.Initialize), &out); err != nil {
		return m
	}
	return &out
}

// sessionReplier brings the child's answer to the SDK, under the SDK's id.
type sessionReplier struct {
	link  *connection
	id    []byte
	plain bool // of an initialize, only what matters is brought
}

func (r *sessionReplier) Reply(response *wire.Message) {
	result := response.Result.Of(response.Line)
	if version := wire.Member(result, "protocolVersion").Of(result); r.plain && version != nil {
		if version[0] != '"' {
			r.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: "it answered with a protocolVersion that is no string"})
			return
		}
		r.deliver(wire.MinimalInitializeResponse(r.id, result))
		return
	}
	r.deliver(response.WithID(r.id))
}

func (r *sessionReplier) Fail(err *wire.Error) { r.deliver(wire.AppendErrorLine(nil, r.id, err)) }

func (r *sessionReplier) deliver(line []byte) {
	var m wire.Message
	err := new(wire.Scanner).Scan(line, &m)
	if err == nil {
		err = r.link.session.Deliver(&m)
	}
	if err != nil && !errors.Is(err, mcp.ErrConnectionClosed) {
		r.link.warn("answer ignored", "reason", []byte(err.Error()))
	}
}
