package app

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/modules/wire"
)

// client is the smallest MCP client, in our own process: check and call start
// everything exactly as serving would and speak to it through this.
type client struct {
	in    *io.PipeWriter
	out   *io.PipeReader
	next  int
	lines chan []byte // answers
}

var errServerGone = errors.New("the aggregator has stopped")

// newClient returns a client and the streams to serve it on.
func newClient() (*client, upstream.Stdio) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{in: inW, out: outR, lines: make(chan []byte)}
	go c.read() // ends when close breaks the pipe
	return c, upstream.Stdio{In: inR, Out: outW}
}

func (c *client) close() {
	_ = c.in.Close()  // never fails
	_ = c.out.Close() // never fails
}

// read passes the answers on and drops everything else.
func (c *client) read() {
	defer close(c.lines)
	lines := wire.NewReader(c.out, 0)
	var scanner wire.Scanner
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return
		}
		var m wire.Message
		if scanner.Scan(line, &m) == nil && m.Kind == wire.Response {
			c.lines <- bytes.Clone(line)
		}
	}
}

// initialize introduces a client without optional capabilities.
func (c *client) initialize(version string) error {
	params := []byte(`{"protocolVersion":"` + upstream.ProtocolVersions()[0] +
		`","capabilities":{},"clientInfo":{"name":"mcp-simple-aggregator","version":`)
	params = append(wire.AppendQuoted(params, version), "}}"...)
	if _, err := c.request("initialize", params); err != nil {
		return err
	}
	_, err := c.in.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	return err
}

// request sends a request and returns the answer to it.
func (c *client) request(method string, params []byte) (*wire.Message, error) {
	c.next++
	line := wire.AppendRequest(nil, strconv.AppendInt(nil, int64(c.next), 10), method, params)
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	answer, ok := <-c.lines
	if !ok {
		return nil, errServerGone
	}
	var m wire.Message
	return &m, new(wire.Scanner).Scan(answer, &m)
}
