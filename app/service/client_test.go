package service_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// mcpClient is a raw client of /mcp.
type mcpClient struct {
	t       *testing.T
	url     string
	session string
}

// connect opens a session as the client of that name.
func (s *running) connect(name, capabilities string) *mcpClient {
	s.t.Helper()
	return s.connectAt("/mcp", name, capabilities)
}

// connectAt opens a session at another endpoint.
func (s *running) connectAt(path, name, capabilities string) *mcpClient {
	s.t.Helper()
	c := &mcpClient{t: s.t, url: s.url + path}
	response := c.post(s.t.Context(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":`+capabilities+`,"clientInfo":{"name":"`+name+`","version":"1"}}}`)
	defer response.Body.Close()
	c.session = response.Header.Get("Mcp-Session-Id")
	if response.StatusCode != http.StatusOK || c.session == "" {
		s.t.Fatal(response.Status)
	}
	c.accepted(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *mcpClient) post(ctx context.Context, body string) *http.Response {
	c.t.Helper()
	response, err := c.send(ctx, http.MethodPost, body)
	if err != nil {
		c.t.Fatal(err)
	}
	return response
}

func (c *mcpClient) send(ctx context.Context, method, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		request.Header.Set("Mcp-Session-Id", c.session)
		request.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return http.DefaultClient.Do(request)
}

// accepted posts a notification or a response, which get no response.
func (c *mcpClient) accepted(body string) {
	c.t.Helper()
	response := c.post(c.t.Context(), body)
	defer response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		c.t.Fatal(response.Status)
	}
}

// ask posts a request and returns the response.
func (c *mcpClient) request(body string) string {
	c.t.Helper()
	e := c.exchange(body)
	defer e.close()
	return e.next()
}

// exchange is a request and its response stream.
type exchange struct {
	t      *testing.T
	body   io.ReadCloser
	events *bufio.Reader // nil when the response is one message
	cancel context.CancelFunc
}

func (c *mcpClient) exchange(body string) *exchange {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	return newExchange(c.t, c.post(ctx, body), cancel) //nolint:bodyclose // close does that
}

func newExchange(t *testing.T, response *http.Response, cancel context.CancelFunc) *exchange {
	t.Helper()
	e := &exchange{t: t, body: response.Body, cancel: cancel}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		e.events = bufio.NewReader(response.Body)
	}
	return e
}

// openStream opens the stream of notifications.
func (c *mcpClient) openStream() *exchange {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	response, err := c.send(ctx, http.MethodGet, "") //nolint:bodyclose // close does that
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatal(response, err)
	}
	return newExchange(c.t, response, cancel)
}

// next returns the next message; "" at the end.
func (e *exchange) next() string {
	e.t.Helper()
	if e.events == nil {
		text, err := io.ReadAll(e.body)
		if err != nil {
			e.t.Fatal(err)
		}
		return string(text)
	}
	for {
		line, err := e.events.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSuffix(data, "\n")
		}
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			e.t.Fatal(err)
		}
	}
}

func (e *exchange) close() {
	e.cancel()
	e.body.Close()
}

// expect fails the test unless the next message is want.
func expect(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got  %.600s\nwant %.600s", got, want)
	}
}
