package simple

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/upstream"
)

// hookTimeout bounds starting and stopping. The children's own limits are well below
// it, because Fx skips the remaining hooks when it runs out.
const hookTimeout = 15 * time.Second

// errInterrupted ends a command that a signal stops before it is done.
var errInterrupted = errors.New("interrupted")

// Node is one running aggregator.
type Node struct {
	File    *config.File
	Config  *config.McpConfig
	Manager *child.Manager
	Tools   *registry.ToolRegistry

	server  *upstream.AggregatorServer
	app     *fx.App
	signals chan os.Signal
}

// Start composes the aggregator of o on stdio and starts it. From then on it catches
// signals.
func Start(o Options, stdio upstream.Stdio) (*Node, error) {
	n := &Node{signals: make(chan os.Signal, 2)}
	signal.Notify(n.signals, stopSignals()...)
	n.app = fx.New(
		Compose(o, stdio),
		fx.Populate(&n.server, &n.Manager, &n.File, &n.Config, &n.Tools),
	)
	if err := n.app.Err(); err != nil {
		return nil, err
	}
	log := cli.NewLogger(o.Stderr, o.Debug)
	cli.WarnUnsupported(log, n.File)
	if len(o.Pin) > 0 && !o.Lean {
		log.Warn("--pin has no effect without --lean")
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookTimeout)
	defer cancel()
	return n, n.app.Start(ctx)
}

// Stop stops everything that was started. A further signal kills the children at once.
func (n *Node) Stop() error {
	stopped := make(chan struct{})
	defer close(stopped)
	go func() { // ends with Stop
		select {
		case <-n.signals:
			n.Manager.Kill()
		case <-stopped:
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), hookTimeout)
	defer cancel()
	return n.app.Stop(ctx)
}

// AwaitServers waits until every server is running or has failed, which the children's
// own timeouts bound, and calls settled for each.
func (n *Node) AwaitServers(settled func(child.Status)) error {
	keys := make(chan string)
	statuses := n.Manager.Statuses()
	for _, status := range statuses {
		go func() { // ends when the server settles, at the latest when it is stopped
			<-n.Manager.Settled(status.Key)
			select {
			case keys <- status.Key:
			case <-n.server.Done():
			}
		}()
	}
	for range statuses {
		select {
		case key := <-keys:
			settled(n.Manager.Status(key))
		case <-n.signals:
			return errInterrupted
		}
	}
	return nil
}

// Print calls write, which may block on a reader that does not read, and returns early
// if a signal asks the program to stop.
func (n *Node) Print(write func() error) error {
	printed := make(chan error, 1)
	go func() { printed <- write() }() // outlives Print only until the program exits
	select {
	case err := <-printed:
		return err
	case <-n.signals:
		return errInterrupted
	}
}

// freeStartMemory returns the memory that only starting needed to the system once
// every server has settled: after that an idle program collects its garbage every two
// minutes at most.
func (n *Node) freeStartMemory(stopping <-chan struct{}) {
	for _, server := range n.Config.Servers {
		select {
		case <-n.Manager.Settled(server.Key):
		case <-stopping:
			return
		}
	}
	debug.FreeOSMemory()
}
