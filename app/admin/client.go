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

// Options say where the service is, and where its answers go.
type Options struct {
	Address string // URL, as http://127.0.0.1:8080
	Token   string // of the service; empty: none
	Stdout  io.Writer
	// Patience is the longest wait for a server to connect; default 90 s.
	Patience time.Duration
}

// Client is a client of one service.
type Client struct {
	options Options
	http    *http.Client
}

// NewClient returns a client; it asks the service nothing yet.
func NewClient(o Options) *Client {
	o.Address = strings.TrimRight(o.Address, "/")
	if o.Patience == 0 {
		o.Patience = 90 * time.Second // one attempt to connect takes at most 60 s
	}
	return &Client{options: o, http: &http.Client{
		// The service sends nobody elsewhere: what does is something else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

const prefix = "/api/v1"

// patience bounds all requests but calls: a disconnect may take 30 s.
const patience = time.Minute

// ask sends a request and returns the body of its answer, nil if there is none.
func (c *Client) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.send(ctx, method, path, body)
}

// send is ask without a bound in time.
func (c *Client) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
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
		return nil, fmt.Errorf("the service at %s was lost while it answered: %w", c.options.Address, err)
	}
	return c.judge(response, answer)
}

// judge tells an answer from a problem, and from what the service never says.
func (c *Client) judge(response *http.Response, answer []byte) ([]byte, error) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	good := response.StatusCode >= 200 && response.StatusCode <= 299
	switch {
	case good && response.StatusCode == http.StatusNoContent:
		return nil, nil
	case good && kind == "application/json" && isObject(answer):
		return answer, nil
	case !good && kind == "application/problem+json":
		return nil, c.problemOf(answer)
	default:
		return nil, c.foreign(response.StatusCode)
	}
}

func isObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && text[0] == '{' && new(wire.Scanner).Scan(text, &wire.Message{}) == nil
}

// get asks for something and reads it into a value.
func (c *Client) get(ctx context.Context, path string, value any) (raw []byte, err error) {
	raw, err = c.ask(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return nil, c.foreign(http.StatusOK)
	}
	return raw, nil
}

// unreachable is why the service gave no answer. The method and the URL that the
// error begins with are of no use to people.
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

func (c *Client) foreign(status int) error {
	return fmt.Errorf("what answers at %s (with status %d) is not mcp-aggregator: see --address", c.options.Address, status)
}

// print writes data on a line of its own.
func (c *Client) print(data []byte) error {
	_, err := c.options.Stdout.Write(append(bytes.Clone(data), '\n'))
	return err
}
