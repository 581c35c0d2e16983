package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/upstream"
)

// hookTimeout bounds starting and stopping. The children's own budget is well
// under it, since Fx skips the hooks that are left when it runs out.
const hookTimeout = 15 * time.Second

// node is one running aggregator.
type node struct {
	app     *fx.App
	server  *upstream.AggregatorServer
	manager *child.Manager
	file    *config.File
	config  *config.McpConfig
	tools   *registry.ToolRegistry
	signals chan os.Signal
}

// start builds the aggregator of o on stdio and starts it. Signals are caught
// from then on.
func start(o Options, stdio upstream.Stdio) (*node, error) {
	n := &node{signals: make(chan os.Signal, 2)}
	signal.Notify(n.signals, stopSignals()...)
	n.app = fx.New(
		Simple(o, stdio),
		fx.Populate(&n.server, &n.manager, &n.file, &n.config, &n.tools),
	)
	if err := n.app.Err(); err != nil {
		return nil, err
	}
	warnUnsupported(newLogger(o.Stderr, o.Debug), n.file)
	ctx, cancel := context.WithTimeout(context.Background(), hookTimeout)
	defer cancel()
	return n, n.app.Start(ctx)
}

// stop ends everything. A further signal kills the children at once.
func (n *node) stop() error {
	stopped := make(chan struct{})
	defer close(stopped)
	go func() { // ends with stop
		select {
		case <-n.signals:
			n.manager.Kill()
		case <-stopped:
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), hookTimeout)
	defer cancel()
	return n.app.Stop(ctx)
}

// printing writes, unless a signal asks to stop: whoever is to read may not.
func (n *node) printing(write func() error) error {
	printed := make(chan error, 1)
	go func() { printed <- write() }() // outlives printing only until the exit
	select {
	case err := <-printed:
		return err
	case <-n.signals:
		return errInterrupted
	}
}

// Serve runs the aggregator for the client at the other end of o's streams and
// returns the exit code.
func Serve(o Options) int { return attended(o, serve) }

func serve(o Options) int {
	n, err := start(o, upstream.Stdio{In: o.Stdin, Out: o.Stdout})
	if err != nil {
		return report(o.Stderr, err)
	}
	over := make(chan struct{})
	var tidying sync.WaitGroup
	tidying.Go(func() { n.tidy(over) })
	select {
	case <-n.server.Done():
		err = n.server.Err()
	case <-n.signals:
	}
	close(over)
	tidying.Wait()
	return report(o.Stderr, errors.Join(err, n.stop()))
}

// tidy gives back, once every server has settled, what only starting took: from
// then on an idle program collects its garbage every two minutes at most.
func (n *node) tidy(over <-chan struct{}) {
	for _, server := range n.config.Servers {
		select {
		case <-n.manager.Settled(server.Key):
		case <-over:
			return
		}
	}
	debug.FreeOSMemory()
}

// report tells the user what went wrong, if anything, and returns the exit
// code. Of an error of Fx only the cause is of use.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	if problems, ok := errors.AsType[config.Errors](err); ok {
		fmt.Fprintln(stderr, problems)
		return ExitConfig
	}
	fmt.Fprintln(stderr, "mcp-simple-aggregator:", err)
	return ExitFailed
}
