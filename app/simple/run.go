package simple

import (
	"errors"
	"os"
	"os/signal"
	"sync"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/modules/upstream"
)

// program is the name of the program, in its messages.
const program = "mcp-simple-aggregator"

// Serve serves the client at the other end of the streams of o until that closes them
// or a signal asks the program to stop. It reports what goes wrong on o.Stderr; the
// error it returns is a [cli.ExitError].
func Serve(o Options) error { return Attend(o, serve) }

func serve(o Options) error {
	n, err := Start(o, upstream.Stdio{In: o.Stdin, Out: o.Stdout})
	if err != nil {
		return err
	}
	stopping := make(chan struct{})
	var freeing sync.WaitGroup
	freeing.Go(func() { n.freeStartMemory(stopping) })
	select {
	case <-n.server.Done():
		err = n.server.Err()
	case <-n.signals:
	}
	close(stopping)
	freeing.Wait()
	return errors.Join(err, n.Stop())
}

// Attend prepares the process for children, calls command with a standard error that
// never blocks, and reports the command's error there. It returns a [cli.ExitError].
func Attend(o Options, command func(Options) error) error {
	// A write to a broken standard output would end the program by a signal.
	if caught := ignoredSignals(); len(caught) > 0 {
		signal.Notify(make(chan os.Signal, 1), caught...)
	}
	reserveThreads()
	c := newConsole(o.Stderr)
	defer c.close()
	o.Stderr = c
	return cli.Exit(cli.Report(c, program, command(o)))
}
