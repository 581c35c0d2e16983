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

	"mcp-aggregator/app/cli"
	"mcp-aggregator/modules/store"
)

// stopTimeout bounds stopping, which waits first for calls and then for children.
const stopTimeout = drainTimeout + 20*time.Second

// Serve runs the service until a signal asks it to stop. A second signal does not wait
// for calls. It reports what goes wrong on o.Stderr; the error it returns is a
// [cli.ExitError].
func Serve(o Options) error { return cli.Exit(report(o, serve(o))) }

func serve(o Options) error {
	if o.Database == "" {
		path, err := DefaultDatabase(o.Environ)
		if err != nil {
			return &configError{err}
		}
		o.Database = path
	}
	var s *server
	var database *store.Store
	app := fx.New(Compose(o), fx.Populate(&s, &database))
	if err := app.Err(); err != nil {
		return err
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if stopped, err := start(app, database, signals); err != nil || stopped {
		if stopped { // whether or not the start succeeded
			err = stop(app, s, signals)
		}
		return err
	}
	announce(o, s.listener.Addr())
	var err error
	select {
	case err = <-s.failed:
	case <-signals:
	}
	return errors.Join(err, stop(app, s, signals))
}

// start starts the service unless a signal asks it to stop meanwhile. The context has no
// deadline, because Fx stops nothing with a context that has ended; every hook has a
// timeout of its own.
func start(app *fx.App, database *store.Store, signals <-chan os.Signal) (stopped bool, err error) {
	started := make(chan error, 1)
	go func() { started <- app.Start(context.Background()) }() // joined below
	select {
	case err := <-started:
		return false, err
	case <-signals:
		database.Abort() // opening and migrating may take long
		return true, <-started
	}
}

func stop(app *fx.App, s *server, signals <-chan os.Signal) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	stopped := make(chan struct{})
	defer close(stopped)
	go func() { // ends with stop
		select {
		case <-signals:
			s.endSoon()
		case <-stopped:
		}
	}()
	return app.Stop(ctx)
}

// root returns the cause of an error of Fx, whose own text does not help users.
func root(err error) error {
	return dig.RootCause(err)
}
