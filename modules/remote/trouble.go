package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// unreachable reports whether err says that nobody was there to hear. Go makes a
// second attempt at a request on a connection that had gone only if nothing of it
// had been written, so this is certain even then.
func unreachable(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect")
}

// neverExecuted reports whether a status says that the request was not executed: it was
// not let in, was not understood, found nobody, or is to be sent elsewhere as it is. A
// 5xx may come from a proxy that has already handed the request on; a 303 says that
// something was done.
func neverExecuted(status int) bool {
	switch status {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusUnprocessableEntity:
		return false
	default:
		return status >= 400 && status < 500
	}
}

// missing reports whether a response says that the server does not know the session.
// MCP has 404 for that (basic/transports, session management); many servers say 400.
func (s *session) missing(status int, body []byte) bool {
	known := s.address.Load().hasSession()
	return status == http.StatusNotFound && (s.sse || known) ||
		status == http.StatusBadRequest && known && bytes.Contains(bytes.ToLower(body), []byte("session"))
}

// statusText tells people of a status, and of what the server says to it.
func statusText(resp *http.Response, body []byte) string {
	text := fmt.Sprintf("the server answers with status %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		text += ": look at the headers of its registration"
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		text += ": redirects are not followed to another host or method; register the address it gives"
	}
	if said := strings.TrimSpace(string(body)); said != "" && isText(resp) {
		text += ": " + said
	}
	return text
}

func errorOf(resp *http.Response) error { return errors.New(statusText(resp, bodyOf(resp))) }

func isText(resp *http.Response) bool {
	return isMediaType(resp, document) || isMediaType(resp, "text/plain")
}

// maxRefusal bounds what is read of the body of a refusal.
const maxRefusal = 1 << 20

// bodyOf reads a refusal; what cannot be read of it is not missed.
func bodyOf(resp *http.Response) []byte {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	return body
}

// errorIn returns the JSON-RPC error that body answers the call with.
func errorIn(body []byte, p *pendingRequest) (*wire.Message, bool) {
	var m wire.Message
	if err := new(wire.Scanner).Scan(body, &m); err != nil || m.Kind != wire.Response || !m.Error.Present() {
		return nil, false
	}
	return &m, string(wire.KeyOf(m.ID.Of(body))) == strconv.FormatInt(p.id, 10)
}

// broken tells people of an error of HTTP.
func broken(err error, unsent bool) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the server did not answer in time"
	case unsent:
		return fmt.Sprintf("the server cannot be reached: %v", err)
	default:
		return fmt.Sprintf("the connection broke before the server answered: %v", err)
	}
}
