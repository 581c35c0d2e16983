package service_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/app/service"
)

// pipes is a listener of connections in memory, for synctest.
type pipes struct {
	coming chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.coming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial makes a connection.
func (p *pipes) dial() *peer {
	here, there := net.Pipe()
	p.coming <- there
	return &peer{Conn: here, in: bufio.NewReader(here)}
}

// serving runs the HTTP server with handler, in memory.
func serving(t *testing.T, l service.Limits, handler http.HandlerFunc) *pipes {
	t.Helper()
	p := &pipes{coming: make(chan net.Conn), closed: make(chan struct{})}
	t.Cleanup(service.ServeHTTP(p, l, handler))
	return p
}

// limits returns the default limits.
func limits() service.Limits { return service.DefaultLimits(1024) }

// peer is a client that writes HTTP without net/http.
type peer struct {
	net.Conn

	in *bufio.Reader
}

// dial makes a connection to a service.
func (s *running) dial() *peer {
	s.t.Helper()
	c, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return &peer{Conn: c, in: bufio.NewReader(c)}
}

// say writes HTTP; line breaks become CRLF.
func (p *peer) say(t *testing.T, lines string) {
	t.Helper()
	if _, err := io.WriteString(p, strings.ReplaceAll(lines, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
}

// answered is a response.
type answered struct {
	status int
	header http.Header
	closes bool // it has Connection: close
	size   int64
	text   string
}

// answer reads a response, and skips interim ones.
func (p *peer) answer(t *testing.T) answered {
	t.Helper()
	return p.read(t, io.ReadAll)
}

// head reads the head of a response, and not the body.
func (p *peer) head(t *testing.T) answered {
	t.Helper()
	return p.read(t, func(io.Reader) ([]byte, error) { return nil, nil })
}

func (p *peer) read(t *testing.T, body func(io.Reader) ([]byte, error)) answered {
	t.Helper()
	for {
		r, err := http.ReadResponse(p.in, nil) //nolint:bodyclose // that would read it
		if err != nil {
			t.Fatal(err)
		}
		text, err := body(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != http.StatusContinue {
			return answered{r.StatusCode, r.Header, r.Close, r.ContentLength, string(text)}
		}
	}
}

// ended waits for the end of the connection, and returns how long that took.
func (p *peer) ended(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	if b, err := p.in.ReadByte(); err == nil {
		t.Fatalf("it says %q", b)
	}
	return time.Since(began)
}
