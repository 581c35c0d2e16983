package dense

import (
	"context"
	"errors"
)

// Code says why there are no scores or vectors.
type Code string

// Values of Code.
const (
	NotReady    Code = "not_ready"   // too few tools have vectors yet
	Unavailable Code = "unavailable" // the embedder or the store fails or times out
	Limited     Code = "limited"     // the daily limit of embeddings is reached
	Rejected    Code = "rejected"    // the embedder rejects a text
)

// Error is the error type of this package.
type Error struct {
	Code Code
	Err  error // the cause, or nil
}

// Error returns the message, in one line.
func (e *Error) Error() string {
	text := map[Code]string{
		NotReady:    "dense search: the tools are being embedded",
		Unavailable: "dense search: the embeddings are unavailable",
		Limited:     "dense search: the daily limit of embeddings is reached",
		Rejected:    "dense search: the embedder rejected the text",
	}[e.Code]
	if e.Err == nil {
		return text
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// withCode returns err as an [*Error], by default with code [Unavailable].
func withCode(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Code: Unavailable, Err: err}
}

// hasCode reports whether err has the given code.
func hasCode(err error, code Code) bool {
	known, ok := errors.AsType[*Error](err)
	return ok && known.Code == code
}

// cancelled reports whether the caller gave up.
func cancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
