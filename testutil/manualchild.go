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

// ManualChild is a raw child that a test plays by hand: it sees every line but those
// of the handshake and the list, which the puppet answers itself.
type ManualChild struct {
	// Initialize is the raw result of initialize; a usual one when empty.
	Initialize string

	mu             sync.Mutex
	tools          string
	initializeLine string
	out            io.Writer
	lines          chan string
	exits          chan child.Exit
}

// NewManualChild returns a puppet with the tools of the raw JSON array.
func NewManualChild(tools string) *ManualChild {
	return &ManualChild{tools: tools, lines: make(chan string, 1024), exits: make(chan child.Exit, 1)}
}

// Run is the Program.
func (p *ManualChild) Run(ctx context.Context, stdio Stdio) child.Exit {
	p.mu.Lock()
	p.out = stdio.Out
	p.mu.Unlock()
	ended := make(chan child.Exit, 1)
	go func() { ended <- p.readLines(stdio) }() // ends with stdin
	select {
	case exit := <-p.exits:
		return exit
	case exit := <-ended:
		return exit
	case <-ctx.Done():
		return ""
	}
}

func (p *ManualChild) readLines(stdio Stdio) child.Exit {
	lines := bufio.NewReader(stdio.In)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return "exit status 0"
		}
		p.handleLine(strings.TrimSuffix(line, "\n"), stdio.Out)
	}
}

func (p *ManualChild) handleLine(line string, out io.Writer) {
	var m wire.Message
	if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
		p.lines <- line
		return
	}
	id := string(m.ID.Of(m.Line))
	switch {
	case m.MethodIs("initialize"):
		p.mu.Lock()
		p.initializeLine = line
		p.mu.Unlock()
		Say(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, orDefault(p.Initialize, defaultInitialize))
	case m.MethodIs("tools/list"):
		p.mu.Lock()
		tools := p.tools
		p.mu.Unlock()
		if tools != "" {
			Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, id, tools)
		}
	case m.MethodIs("notifications/initialized"):
	default:
		p.lines <- line
	}
}

// InitializeLine is the initialize line that the puppet has seen.
func (p *ManualChild) InitializeLine() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.initializeLine
}

// Next returns the next line that the puppet sees.
func (p *ManualChild) Next() string { return <-p.lines }

// Idle reports whether the puppet has seen nothing more.
func (p *ManualChild) Idle() bool { return len(p.lines) == 0 }

// Say writes one line.
func (p *ManualChild) Say(line string) {
	p.mu.Lock()
	out := p.out
	p.mu.Unlock()
	Say(out, "%s", line)
}

// SetTools changes what tools/list answers with; it is not answered when tools is
// empty.
func (p *ManualChild) SetTools(tools string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tools = tools
}

// Exit ends the puppet.
func (p *ManualChild) Exit(exit child.Exit) { p.exits <- exit }
