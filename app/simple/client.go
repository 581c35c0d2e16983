package simple

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/modules/wire"
)

// Client is a minimal MCP client in this process: check and call start the same
// composition as serve and speak to it through this client.
type Client struct {
	in        *io.PipeWriter
	out       *io.PipeReader
	next      int
	responses chan []byte
}

var errServerGone = errors.New("the aggregator has stopped")

// NewClient returns a client and the streams to serve it on.
func NewClient() (*Client, upstream.Stdio) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &Client{in: inW, out: outR, responses: make(chan []byte)}
	go c.read() // ends when Close breaks the pipe
	return c, upstream.Stdio{In: inR, Out: outW}
}

// Close closes the streams; requests under way fail.
func (c *Client) Close() {
	_ = c.in.Close()  // never fails
	_ = c.out.Close() // never fails
}

// read delivers responses and drops requests and notifications.
func (c *Client) read() {
	defer close(c.responses)
	lines := wire.NewReader(c.out, 0)
	var scanner wire.Scanner
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return
		}
		var m wire.Message
		if scanner.Scan(line, &m) == nil && m.Kind == wire.Response {
			c.responses <- bytes.Clone(line)
		}
	}
}

// Initialize opens a session without optional capabilities. The version is that of
// clientInfo.
func (c *Client) Initialize(version string) error {
	params := []byte(`{"protocolVersion":"` + wire.SessionRevisions()[0] +
		`","capabilities":{},"clientInfo":{"name":"mcp-simple-aggregator","version":`)
	params = append(wire.AppendQuoted(params, version), "}}"...)
	if _, err := c.request("initialize", params); err != nil {
		return err
	}
	_, err := c.in.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	return err
}

// ListedTool is a tool in the client's list.
type ListedTool struct {
	Name       string
	Definition []byte // raw JSON
}

// ListTools returns the client's list.
func (c *Client) ListTools() (list []ListedTool, err error) {
	response, err := c.request("tools/list", []byte("{}"))
	if err != nil {
		return nil, err
	}
	result := response.Result.Of(response.Line)
	tools := wire.Member(result, "tools").Of(result)
	for span := range wire.Elements(tools) {
		definition := span.Of(tools)
		name, _ := wire.Unquote(wire.Member(definition, "name").Of(definition))
		list = append(list, ListedTool{name, definition})
	}
	return list, nil
}

// request sends a request and returns the response to it.
func (c *Client) request(method string, params []byte) (*wire.Message, error) {
	c.next++
	line := wire.AppendRequest(nil, strconv.AppendInt(nil, int64(c.next), 10), method, params)
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	response, ok := <-c.responses
	if !ok {
		return nil, errServerGone
	}
	var m wire.Message
	return &m, new(wire.Scanner).Scan(response, &m)
}
