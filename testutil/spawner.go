package testutil

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
)

// Program is a fake child: it speaks MCP on its streams until stdin ends or ctx is
// canceled, which kills it, and returns how it exited.
type Program func(ctx context.Context, stdio Stdio) child.Exit

// Stdio has the standard streams of a fake child.
type Stdio struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Spawner is a child.Spawner of fake children by configuration key. Keys without a
// program fail to start.
type Spawner map[string]Program

// Spawn implements child.Spawner.
func (s Spawner) Spawn(server config.ServerConfig) (*child.Process, error) {
	program, ok := s[server.Key]
	if !ok {
		return nil, fmt.Errorf("command %q is not on its PATH", server.Command)
	}
	return spawn(program), nil
}

// process is a Program that runs in a goroutine.
type process struct {
	cancel context.CancelFunc
	exited chan struct{}
	mu     sync.Mutex
	exit   child.Exit
	killed child.Exit // set if it was terminated or killed
}

func spawn(program Program) *child.Process {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	errR, errW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{cancel: cancel, exited: make(chan struct{})}
	go func() { // Wait joins it
		defer close(p.exited)
		defer cancel()
		exit := program(ctx, Stdio{inR, outW, errW})
		p.mu.Lock()
		p.exit = exit
		p.mu.Unlock()
		closeAll(inR, outW, errW)
	}()
	context.AfterFunc(ctx, func() { closeAll(inR, outW, errW) })
	return &child.Process{Stdin: inW, Stdout: outR, Stderr: errR, Control: p}
}

// closeAll closes pipes, which never fails.
func closeAll(pipes ...io.Closer) {
	for _, p := range pipes {
		_ = p.Close()
	}
}

// Wait implements child.Control.
func (p *process) Wait() child.Exit {
	<-p.exited
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed != "" {
		return p.killed
	}
	return p.exit
}

// Terminate implements child.Control.
func (p *process) Terminate() { p.endWith("signal: terminated") }

// Kill implements child.Control.
func (p *process) Kill() { p.endWith("signal: killed") }

func (p *process) endWith(how child.Exit) {
	p.mu.Lock()
	if p.exit == "" && p.killed == "" {
		p.killed = how
	}
	p.mu.Unlock()
	p.cancel()
}

// SDK returns a Program that runs a server of the SDK, configured by setup.
func SDK(setup func(*mcp.Server)) Program {
	return func(ctx context.Context, stdio Stdio) child.Exit {
		server := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
		setup(server)
		transport := &mcp.IOTransport{Reader: io.NopCloser(stdio.In), Writer: nopCloser{stdio.Out}}
		if err := server.Run(ctx, transport); err != nil && ctx.Err() == nil {
			return "exit status 1"
		}
		return "exit status 0"
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
