package service

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/dig"
	"go.uber.org/fx"
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
			return report(o, &configError{err})
		}
		o.Database = path
	}
	var s *server
	app := fx.New(Service(o), fx.Populate(&s))
	if err := app.Err(); err != nil {
		return report(o, err)
	}
	// Until here there is nothing to stop, but perhaps a database to wait for.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := app.Start(ctx); err != nil {
		return report(o, err)
	}
	announce(o, s.listener.Addr())
	var err error
	select {
	case err = <-s.failed:
	case <-signals:
	}
	return report(o, errors.Join(err, stop(app, s, signals)))
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

// root is the cause of an error of Fx, whose own words are of no use.
func root(err error) error {
	return dig.RootCause(err)
}
