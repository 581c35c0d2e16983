package child

import (
	"bytes"
	"context"
	"errors"

	"mcp-aggregator/modules/toollist"
	"mcp-aggregator/modules/wire"
)

// listTools reads every page of the child's tools/list.
func (l *connection) listTools(ctx context.Context) ([][]byte, error) {
	ask := func(params []byte) ([]byte, error) { return l.ask(ctx, "tools/list", params) }
	return toollist.Read(ask, l.log)
}

// ask makes a request of our own on the traffic plane and returns the raw
// result.
func (l *connection) ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	line := wire.AppendRequest(nil, []byte("0"), method, params)
	var m wire.Message
	if err := new(wire.Scanner).Scan(line, &m); err != nil {
		return nil, err
	}
	answer := make(answer, 1)
	l.call(&m, nil, answer)
	l.out.flush()
	select {
	case a := <-answer:
		if a.refusal != nil {
			return nil, errors.New("the server answered with the error " + l.shown(a.refusal))
		}
		return a.result, a.err
	case <-ctx.Done():
		l.calls.cancel(func(r Replier) bool { return r == answer })
		return nil, ctx.Err()
	}
}

// answer is the Replier of a request of our own.
type answer chan reply

type reply struct {
	result  []byte
	refusal []byte // the child's error, raw
	err     error  // ours
}

func (a answer) Reply(response *wire.Message) {
	a <- reply{
		result:  bytes.Clone(response.Result.Of(response.Line)),
		refusal: bytes.Clone(response.Error.Of(response.Line)),
	}
}

func (a answer) Fail(err *wire.Error) { a <- reply{err: err} }
