package remote

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bounds of making one connection, and of the connections that are kept for the
// next calls. Nothing bounds the time an answer takes.
const (
	connectTime  = 30 * time.Second
	greetTime    = 10 * time.Second // of TLS
	idleTime     = 90 * time.Second
	idlePerHost  = 256              // as many as there are calls at once, or each needs one of its own
	pingAfter    = 30 * time.Second // of silence, over HTTP/2
	maxRedirects = 5
)

// newTransport returns a transport of one session's own, so that nothing of it is
// left when the session ends.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: connectTime, KeepAlive: pingAfter}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: greetTime,
		MaxIdleConns:        idlePerHost,
		MaxIdleConnsPerHost: idlePerHost,
		IdleConnTimeout:     idleTime,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: greetTime},
	}
}

// parseEndpoint reads the address of a server.
func parseEndpoint(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil { // the error would show the address
		return nil, errors.New("url: it is no URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("url: it must begin with http:// or https:// and name a host")
	}
	return u, nil
}

// sameOrigin reports whether what is secret for one may be told to the other.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// redirected returns the request that a response leads to; nil if it leads nowhere, or
// to where this request is not to be repeated.
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

// headersOf are a server's own headers, the name of the host among them.
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
