package testutil

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

// Client is a raw MCP client: it sends and returns lines unmodified. It reads ahead, so
// that client and server can write at the same time without blocking.
type Client struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan string

	// Stdin and Stdout are the server's ends of the streams.
	Stdin  io.ReadCloser
	Stdout io.Writer
}

// NewClient returns a client with the streams for the server in Stdin and Stdout.
func NewClient(t *testing.T) *Client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &Client{t: t, in: inW, out: outR, lines: make(chan string, readAhead), Stdin: inR, Stdout: outW}
	go c.readLines() // ends with the server's output, or at Hangup
	return c
}

const readAhead = 1 << 16 // lines

func (c *Client) readLines() {
	defer close(c.lines)
	lines := bufio.NewReader(c.out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		c.lines <- strings.TrimSuffix(line, "\n")
	}
}

// Send sends one line.
func (c *Client) Send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.t.Errorf("send: %v", err)
	}
}

// SendRaw sends text without adding a newline.
func (c *Client) SendRaw(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Errorf("send: %v", err)
	}
}

// Next returns the next line from the server without its newline, "" at the end.
func (c *Client) Next() string { return <-c.lines }

// Close closes the server's standard input.
func (c *Client) Close() { closeAll(c.in) }

// Hangup closes both streams, as if the client had crashed.
func (c *Client) Hangup() { closeAll(c.in, c.out) }

// Initialize does the handshake with protocol version 2025-11-25 and returns the raw
// response.
func (c *Client) Initialize() string {
	c.t.Helper()
	return c.InitializeAs("test")
}

// InitializeAs is like Initialize with that clientInfo.name.
func (c *Client) InitializeAs(name string) string {
	c.t.Helper()
	c.Send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}`, name)
	answer := c.Next()
	c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}
