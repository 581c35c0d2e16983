package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"go.uber.org/dig"
	"go.uber.org/fx"

	"mcp-aggregator/config"
)

// Bounds of starting, which may wait for a database, and of stopping, which waits for
// calls and then for children.
const (
	startTime = time.Minute
	stopTime  = drainTime + 20*time.Second
)

// Serve runs the service until a signal asks it to stop, and returns the exit code. A
// second signal waits for no calls.
func Serve(o Options) int {
	if o.Database == "" {
		path, err := DefaultDatabase(o.Environ)
		if err != nil {
			return report(o.Stderr, &configError{err})
		}
		o.Database = path
	}
	var s *server
	app := fx.New(Service(o), fx.Populate(&s))
	if err := app.Err(); err != nil {
		return report(o.Stderr, err)
	}
	// Until here there is nothing to stop, but perhaps a database to wait for.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := app.Start(ctx); err != nil {
		return report(o.Stderr, err)
	}
	fmt.Fprintf(o.Stderr, "mcp-aggregator: listening at http://%s: REST under /api/v1 (page: /api/v1/docs), MCP at /mcp\n", s.listener.Addr())
	var err error
	select {
	case err = <-s.failed:
	case <-signals:
	}
	return report(o.Stderr, errors.Join(err, stop(app, s, signals)))
}

func stop(app *fx.App, s *server, signals <-chan os.Signal) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	stopped := make(chan struct{})
	defer close(stopped)
	go func() { // ends with stop
		select {
		case <-signals:
			s.hurry()
		case <-stopped:
		}
	}()
	return app.Stop(ctx)
}

// report tells the user what went wrong, if anything, and returns the exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	if problems, ok := errors.AsType[config.Errors](err); ok {
		fmt.Fprintln(stderr, problems)
		return ExitConfig
	}
	if mistake, ok := errors.AsType[*configError](err); ok {
		for line := range strings.SplitSeq(mistake.Error(), "\n") {
			fmt.Fprintln(stderr, "mcp-aggregator:", line)
		}
		return ExitConfig
	}
	fmt.Fprintln(stderr, "mcp-aggregator:", root(err))
	return ExitFailed
}

// root is the cause of an error of Fx, whose own words are of no use.
func root(err error) error {
	return dig.RootCause(err)
}
