package dense

import (
	"context"
	"errors"
)

// Code says why there are no scores, or no vectors.
type Code string

// The codes.
const (
	NotReady    Code = "not_ready"   // too few tools have vectors yet
	Unavailable Code = "unavailable" // the embedder or the store fails, or takes too long
	Limited     Code = "limited"     // what may be embedded a day has been
	Rejected    Code = "rejected"    // the embedder does not take a text
)

// Error is the error of this package. Its text is one line.
type Error struct {
	Code Code
	Err  error // nil for none
}

// Error returns the text.
func (e *Error) Error() string {
	text := map[Code]string{
		NotReady:    "dense search: the tools are being embedded",
		Unavailable: "dense search: the embeddings are unavailable",
		Limited:     "dense search: the day's limit of embeddings is reached",
		Rejected:    "dense search: the embedder rejects the text",
	}[e.Code]
	if e.Err == nil {
		return text
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// coded gives an error that has no code the one for failures.
func coded(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Code: Unavailable, Err: err}
}

// has reports whether an error has a code.
func has(err error, code Code) bool {
	known, ok := errors.AsType[*Error](err)
	return ok && known.Code == code
}

// cancelled reports whether it is the caller who gave up.
func cancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
