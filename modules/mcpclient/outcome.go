package mcpclient

import (
	"bytes"
	"context"
	"errors"

	"mcp-aggregator/modules/wire"
)

// Outcome receives the outcome of a request of our own. It is a Replier of the sessions.
type Outcome chan outcome

type outcome struct {
	result  []byte
	refusal []byte // the server's error, raw
	err     error  // ours
}

// NewOutcome returns an Outcome of one request.
func NewOutcome() Outcome { return make(Outcome, 1) }

// Reply takes the server's response.
func (o Outcome) Reply(response *wire.Message) {
	o <- outcome{
		result:  bytes.Clone(response.Result.Of(response.Line)),
		refusal: bytes.Clone(response.Error.Of(response.Line)),
	}
}

// Fail takes an error of ours instead.
func (o Outcome) Fail(err *wire.Error) { o <- outcome{err: err} }

// Wait returns the raw result. If ctx ends first, so does the waiting, with its error.
// An error of the server's is quoted as printable returns it.
func (o Outcome) Wait(ctx context.Context, printable func(text []byte) string) ([]byte, error) {
	select {
	case got := <-o:
		if got.refusal != nil {
			return nil, errors.New("the server answered with the error " + printable(got.refusal))
		}
		return got.result, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
