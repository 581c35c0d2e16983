package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcp-aggregator/modules/wire"
)

// Bounds of making a connection, and of the connections that are kept for the next
// calls. The time until a response is not bounded.
const (
	connectTime  = 30 * time.Second
	tlsTime      = 10 * time.Second // of the handshake
	idleTime     = 90 * time.Second
	idlePerHost  = 256              // as many as concurrent calls, or each makes one of its own
	pingAfter    = 30 * time.Second // of silence, over HTTP/2
	maxRedirects = 5
)

// newTransport returns a transport for one session, so that no connection outlives the
// session.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: connectTime, KeepAlive: pingAfter}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: tlsTime,
		MaxIdleConns:        idlePerHost,
		MaxIdleConnsPerHost: idlePerHost,
		IdleConnTimeout:     idleTime,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: tlsTime},
	}
}

// parseEndpoint parses the address of a server.
func parseEndpoint(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil { // its text has the address, which may be secret
		return nil, errors.New("url: it is no URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("url: it must begin with http:// or https:// and name a host")
	}
	return u, nil
}

// sameOrigin reports whether secrets for one may be sent to the other.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// redirected returns the request that a response redirects to; nil if it is no redirect, or
// one that must not be followed.
func redirected(req *http.Request, resp *http.Response) *http.Request {
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		if req.Method != http.MethodGet {
			return nil
		}
	default:
		return nil
	}
	to, err := resp.Location()
	if err != nil || !sameOrigin(to, req.URL) {
		return nil
	}
	next := req.Clone(req.Context())
	next.URL = to
	if req.GetBody != nil {
		if next.Body, err = req.GetBody(); err != nil {
			return nil
		}
	}
	return next
}

// headersOf returns a server's own headers, Host among them.
func headersOf(configured map[string]string) (http.Header, error) {
	headers := make(http.Header, len(configured))
	for name, value := range configured {
		if strings.ContainsAny(value, "\r\n\x00") || strings.ContainsAny(name, " \t\r\n:\x00") || name == "" {
			return nil, fmt.Errorf("headers: %q is no header that can be sent", name)
		}
		if strings.HasSuffix(strings.ToLower(name), "idempotency-key") { // Go would send calls again
			return nil, fmt.Errorf("headers: %q cannot be the same for every request", name)
		}
		headers.Set(name, value)
	}
	return headers, nil
}

// unreachable reports whether err says that no connection was made. Go repeats a request
// on a connection that was closed only if nothing of it had been written, so nothing was
// sent even then.
func unreachable(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect")
}

// wasNotExecuted reports whether a status says that the request was not executed: it was
// not authorized, not understood, not routed, or is to be sent elsewhere as it is. A
// 5xx may come from a proxy that has already forwarded the request; a 303 says that
// something was executed.
func wasNotExecuted(status int) bool {
	switch status {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusUnprocessableEntity:
		return false
	default:
		return status >= 400 && status < 500
	}
}

// isSessionUnknown reports whether a response says that the server does not know the
// session. MCP has 404 for that (basic/transports, session management); many servers
// respond with 400.
func (s *session) isSessionUnknown(status int, body []byte) bool {
	known := s.address.Load().hasSession()
	return status == http.StatusNotFound && (s.sse || known) ||
		status == http.StatusBadRequest && known && bytes.Contains(bytes.ToLower(body), []byte("session"))
}

// statusText describes a status, and quotes the text that came with it.
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

func statusError(resp *http.Response) error { return errors.New(statusText(resp, readBody(resp))) }

func isText(resp *http.Response) bool {
	return isMediaType(resp, document) || isMediaType(resp, "text/plain")
}

// maxErrorBody is how many bytes of the body of an error are read.
const maxErrorBody = 1 << 20

// readBody reads and closes the body of an error, as far as it can be read.
func readBody(resp *http.Response) []byte {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	return body
}

// jsonRPCErrorIn returns the JSON-RPC error in body, if it is the response to p.
func jsonRPCErrorIn(body []byte, p *pendingRequest) (*wire.Message, bool) {
	var m wire.Message
	if err := new(wire.Scanner).Scan(body, &m); err != nil || m.Kind != wire.Response || !m.Error.Present() {
		return nil, false
	}
	return &m, string(wire.KeyOf(m.ID.Of(body))) == strconv.FormatInt(p.id, 10)
}

// connectionErrorText describes an error of HTTP.
func connectionErrorText(err error, unsent bool) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the server did not answer in time"
	case unsent:
		return fmt.Sprintf("the server cannot be reached: %v", err)
	default:
		return fmt.Sprintf("the connection broke before the server answered: %v", err)
	}
}
