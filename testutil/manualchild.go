package testutil

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
)

// ManualChild is a raw child that a test controls. The test receives every line, except
// for the handshake and tools/list, to which the child responds.
type ManualChild struct {
	// Initialize is the raw result of initialize; if empty, a default with tools.
	Initialize string

	mu             sync.Mutex
	tools          string
	initializeLine string
	out            io.Writer
	lines          chan string
	exits          chan child.Exit
}

// NewManualChild returns a child with the tools of the raw JSON array.
func NewManualChild(tools string) *ManualChild {
	return &ManualChild{tools: tools, lines: make(chan string, 1024), exits: make(chan child.Exit, 1)}
}

// Run is the Program.
func (c *ManualChild) Run(ctx context.Context, stdio Stdio) child.Exit {
	c.mu.Lock()
	c.out = stdio.Out
	c.mu.Unlock()
	ended := make(chan child.Exit, 1)
	go func() { ended <- c.readLines(stdio) }() // ends with stdin
	select {
	case exit := <-c.exits:
		return exit
	case exit := <-ended:
		return exit
	case <-ctx.Done():
		return ""
	}
}

func (c *ManualChild) readLines(stdio Stdio) child.Exit {
	lines := bufio.NewReader(stdio.In)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return "exit status 0"
		}
		c.handleLine(strings.TrimSuffix(line, "\n"), stdio.Out)
	}
}

func (c *ManualChild) handleLine(line string, out io.Writer) {
	var m wire.Message
	if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
		c.lines <- line
		return
	}
	id := string(m.ID.Of(m.Line))
	switch {
	case m.MethodIs("initialize"):
		c.mu.Lock()
		c.initializeLine = line
		c.mu.Unlock()
		Say(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, orDefault(c.Initialize, defaultInitialize))
	case m.MethodIs("tools/list"):
		c.mu.Lock()
		tools := c.tools
		c.mu.Unlock()
		if tools != "" {
			Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, id, tools)
		}
	case m.MethodIs("notifications/initialized"):
	default:
		c.lines <- line
	}
}

// InitializeLine returns the initialize request that the child has received.
func (c *ManualChild) InitializeLine() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.initializeLine
}

// Next returns the next line that the child receives.
func (c *ManualChild) Next() string { return <-c.lines }

// Idle reports whether there are no more lines for Next.
func (c *ManualChild) Idle() bool { return len(c.lines) == 0 }

// Say writes one line to the standard output of the child.
func (c *ManualChild) Say(line string) {
	c.mu.Lock()
	out := c.out
	c.mu.Unlock()
	Say(out, "%s", line)
}

// SetTools sets the result of tools/list. If tools is empty, the child does not respond
// to it.
func (c *ManualChild) SetTools(tools string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools = tools
}

// Exit ends the child.
func (c *ManualChild) Exit(exit child.Exit) { c.exits <- exit }
