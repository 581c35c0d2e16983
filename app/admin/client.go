package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcp-aggregator/modules/wire"
)

// Options are the address of the service and the destination of its answers.
type Options struct {
	Address string // URL, as http://127.0.0.1:8080
	Token   string // of the service; empty for none
	Stdout  io.Writer
	Width   int // of the terminal, in characters; 0 if Stdout is none
	// ConnectTimeout bounds the wait for a server to connect; 0 means 90 s.
	ConnectTimeout time.Duration
}

// Client is a client of the REST API of one service.
type Client struct {
	options Options
	http    *http.Client
}

// NewClient returns a client. It sends nothing yet.
func NewClient(o Options) *Client {
	o.Address = strings.TrimRight(o.Address, "/")
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 90 * time.Second // one attempt to connect takes at most 60 s
	}
	return &Client{options: o, http: &http.Client{
		// The service never redirects: what redirects is another program.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

const prefix = "/api/v1"

// requestTimeout bounds all requests but tool calls; a disconnect may take 30 s.
const requestTimeout = time.Minute

// request sends a request and returns the body of the response; nil if it has none.
func (c *Client) request(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return c.do(ctx, method, path, body)
}

// do is request without a timeout.
func (c *Client) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.options.Address+prefix+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("--address: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.unreachable(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("the service at %s closed the connection before its response was complete: %w", c.options.Address, err)
	}
	return c.bodyOf(response, answer)
}

// bodyOf returns the body of a response, or the error for a problem (RFC 9457) or for
// what is no response of the service.
func (c *Client) bodyOf(response *http.Response, answer []byte) ([]byte, error) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	ok := response.StatusCode >= 200 && response.StatusCode <= 299
	switch {
	case ok && response.StatusCode == http.StatusNoContent:
		return nil, nil
	case ok && kind == "application/json" && isObject(answer):
		return answer, nil
	case !ok && kind == "application/problem+json":
		return nil, c.problemOf(answer)
	default:
		return nil, c.notTheService(response.StatusCode)
	}
}

func isObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && text[0] == '{' && new(wire.Scanner).Scan(text, &wire.Message{}) == nil
}

// get reads the resource at path into value, and returns its JSON.
func (c *Client) get(ctx context.Context, path string, value any) (raw []byte, err error) {
	raw, err = c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return nil, c.notTheService(http.StatusOK)
	}
	return raw, nil
}

// unreachable returns the error for a service that did not respond. It leaves out the
// method and URL of the request, which do not help users.
func (c *Client) unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("no answer from %s: %w; is the service running? start it with: mcp-aggregator serve", c.options.Address, err)
}

// notTheService returns the error for a response that is not one of the service.
func (c *Client) notTheService(status int) error {
	return fmt.Errorf("what answers at %s (with status %d) is not mcp-aggregator: see --address", c.options.Address, status)
}

// print writes data and a line break.
func (c *Client) print(data []byte) error {
	_, err := c.options.Stdout.Write(append(bytes.Clone(data), '\n'))
	return err
}
