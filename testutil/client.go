package testutil

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

// Client is a raw MCP client: it sends lines as they are and shows the lines
// that come. It reads ahead, so that a server that writes while the client does
// blocks neither.
type Client struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan string

	// Stdin and Stdout are the server's ends of the streams.
	Stdin  io.ReadCloser
	Stdout io.Writer
}

// NewClient returns a client and the streams to serve it on.
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

// SendRaw sends bytes as they are.
func (c *Client) SendRaw(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Errorf("send: %v", err)
	}
}

// Next returns the next line from the server, without its newline; "" at the
// end.
func (c *Client) Next() string { return <-c.lines }

// Close ends the client's side: the server's standard input ends.
func (c *Client) Close() { closeAll(c.in) }

// Hangup ends both sides: the client is gone.
func (c *Client) Hangup() { closeAll(c.in, c.out) }

// Initialize does the handshake as protocol version 2025-11-25 and returns the
// raw answer.
func (c *Client) Initialize() string {
	c.t.Helper()
	return c.InitializeAs("test")
}

// InitializeAs is Initialize as the client that gives itself that name.
func (c *Client) InitializeAs(name string) string {
	c.t.Helper()
	c.Send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}`, name)
	answer := c.Next()
	c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}
