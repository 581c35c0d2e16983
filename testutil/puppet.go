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

// Puppet is a raw child that a test plays by hand: it sees every line but those
// of the handshake and the list, which the puppet answers itself.
type Puppet struct {
	// Initialize is the raw result of initialize; a usual one when empty.
	Initialize string

	mu      sync.Mutex
	tools   string
	greeted string
	out     io.Writer
	seen    chan string
	exit    chan child.Exit
}

// NewPuppet returns a puppet with the tools of the raw JSON array.
func NewPuppet(tools string) *Puppet {
	return &Puppet{tools: tools, seen: make(chan string, 1024), exit: make(chan child.Exit, 1)}
}

// Run is the Program.
func (p *Puppet) Run(ctx context.Context, stdio Stdio) child.Exit {
	p.mu.Lock()
	p.out = stdio.Out
	p.mu.Unlock()
	ended := make(chan child.Exit, 1)
	go func() { ended <- p.read(stdio) }() // ends with stdin
	select {
	case exit := <-p.exit:
		return exit
	case exit := <-ended:
		return exit
	case <-ctx.Done():
		return ""
	}
}

func (p *Puppet) read(stdio Stdio) child.Exit {
	lines := bufio.NewReader(stdio.In)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return "exit status 0"
		}
		p.answer(strings.TrimSuffix(line, "\n"), stdio.Out)
	}
}

func (p *Puppet) answer(line string, out io.Writer) {
	var m wire.Message
	if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
		p.seen <- line
		return
	}
	id := string(m.ID.Of(m.Line))
	switch {
	case m.MethodIs("initialize"):
		p.mu.Lock()
		p.greeted = line
		p.mu.Unlock()
		Say(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, orDefault(p.Initialize, usualInitialize))
	case m.MethodIs("tools/list"):
		p.mu.Lock()
		tools := p.tools
		p.mu.Unlock()
		if tools != "" {
			Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, id, tools)
		}
	case m.MethodIs("notifications/initialized"):
	default:
		p.seen <- line
	}
}

// Greeting is the initialize line that the puppet has seen.
func (p *Puppet) Greeting() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.greeted
}

// Next returns the next line that the puppet sees.
func (p *Puppet) Next() string { return <-p.seen }

// Idle reports whether the puppet has seen nothing more.
func (p *Puppet) Idle() bool { return len(p.seen) == 0 }

// Say writes one line.
func (p *Puppet) Say(line string) {
	p.mu.Lock()
	out := p.out
	p.mu.Unlock()
	Say(out, "%s", line)
}

// Offer changes what tools/list answers with; it is not answered when tools is
// empty.
func (p *Puppet) Offer(tools string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tools = tools
}

// Die ends the puppet.
func (p *Puppet) Die(exit child.Exit) { p.exit <- exit }
