package remote

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Bounds of opening the stream of the server's own.
const (
	maxFailedOpens   = 5 // attempts in a row that failed: then the session ends
	shortLife        = time.Second
	firstStreamPause = time.Second // after a stream that lived shorter; doubled each time
	lastStreamPause  = time.Minute
)

// serverStream is the body of the stream of a server of its own: of the messages that
// belong to no call (MCP 2025-11-25, basic/transports, listening for messages from the
// server). The SDK gets it at once, because some servers send no header before the first
// message.
type serverStream struct {
	*interceptor

	req  *http.Request
	body io.ReadCloser // nil until it is open
	from time.Time     // since when
}

func (i *interceptor) openServerStream(req *http.Request) *http.Response {
	resp := newResponse(req, http.StatusOK)
	resp.Header.Set("Content-Type", eventStream)
	resp.ContentLength = -1
	resp.Body = &serverStream{interceptor: i, req: req}
	return resp
}

// Read implements [io.Reader].
func (s *serverStream) Read(p []byte) (int, error) {
	if s.body == nil {
		if err := s.openBody(); err != nil {
			return 0, err
		}
	}
	n, err := s.body.Read(p)
	if err != nil {
		s.pauseAfterStream(s.req.Context(), time.Since(s.from) < shortLife)
	}
	return n, err
}

// Close implements [io.Closer].
func (s *serverStream) Close() error {
	if s.body == nil {
		return nil
	}
	return s.body.Close()
}

// openBody requests the stream. If the server has none (its status is 405, or a similar
// one), it blocks until the session ends.
func (s *serverStream) openBody() error {
	ctx := s.req.Context()
	resp, err := s.roundTrip(s.req) //nolint:bodyclose // Close does, and readBody
	switch {
	case err != nil:
		s.countFailedOpen(ctx, err)
		return err
	case resp.StatusCode == http.StatusOK && isMediaType(resp, eventStream):
		s.failedOpens.Store(0)
		if s.listened.Swap(true) {
			s.changes.Signal() // a change may have been missed meanwhile
		}
		s.body, s.from = s.withFilter(resp).Body, time.Now() //nolint:bodyclose // Close does
		return nil
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		err := statusError(resp)
		s.countFailedOpen(ctx, err)
		return err
	}
	if body := readBody(resp); s.listened.Load() && s.isSessionUnknown(resp.StatusCode, body) {
		s.endForgotten()
	}
	<-ctx.Done()
	return ctx.Err()
}

// countFailedOpen counts a failure and ends the session after too many, or when the server
// is unreachable.
func (i *interceptor) countFailedOpen(ctx context.Context, err error) {
	if ctx.Err() == nil && (unreachable(err) || i.failedOpens.Add(1) >= maxFailedOpens) {
		i.endBecause(connectionErrorText(err, unreachable(err)))
	}
}

// pauseAfterStream waits after a short stream, longer each time.
func (i *interceptor) pauseAfterStream(ctx context.Context, short bool) {
	if !short {
		i.shortStreams.Store(0)
		return
	}
	sleep(ctx, min(firstStreamPause<<min(i.shortStreams.Add(1)-1, 10), lastStreamPause))
}
