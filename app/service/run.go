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

	"mcp-aggregator/modules/store"
)

// stopTime bounds stopping, which waits for calls and then for children.
const stopTime = drainTime + 20*time.Second

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
	var database *store.Store
	app := fx.New(Service(o), fx.Populate(&s, &database))
	if err := app.Err(); err != nil {
		return report(o, err)
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if stopped, err := start(app, database, signals); err != nil || stopped {
		if stopped { // whatever became of the start
			err = stop(app, s, signals)
		}
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

// start starts the service, unless a signal asks to stop meanwhile. Its context has no
// end, which would keep Fx from stopping what was started; every hook has a bound of its
// own.
func start(app *fx.App, database *store.Store, signals <-chan os.Signal) (stopped bool, err error) {
	started := make(chan error, 1)
	go func() { started <- app.Start(context.Background()) }() // joined below
	select {
	case err := <-started:
		return false, err
	case <-signals:
		database.Abort() // what can take long
		return true, <-started
	}
}

func stop(app *fx.App, s *server, signals <-chan os.Signal) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
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

// root is the cause of an error of Fx, whose own words are of no use.
func root(err error) error {
	return dig.RootCause(err)
}
