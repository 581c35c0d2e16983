package remote

import (
	"context"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// maxIdle is how many goroutines wait for the next task.
const maxIdle = 64

// task is a function for a worker. Its context ends with the session.
type task func(ctx context.Context, w *worker)

// workers are the goroutines that send the requests of a session. One that has run a
// task runs the next: its stack has grown to what HTTP needs, and it has a context.
type workers struct {
	tasks  chan task
	idle   atomic.Int32
	closed chan struct{} // closed when no more tasks are accepted
	once   sync.Once
	work   sync.WaitGroup
}

func newWorkers() *workers { return &workers{tasks: make(chan task), closed: make(chan struct{})} }

// submit has a worker run the task; it reports false if the session has ended.
func (ws *workers) submit(t task) bool {
	select {
	case ws.tasks <- t: // one is always waiting
		return true
	case <-ws.closed:
		return false
	}
}

// stopAccepting refuses further tasks; it reports false if they were refused already.
func (ws *workers) stopAccepting() (first bool) {
	ws.once.Do(func() {
		close(ws.closed)
		first = true
	})
	return first
}

// worker is one of the workers, as its task sees it.
type worker struct {
	abort     context.CancelFunc // ends the context of the task
	connected atomic.Bool        // a request of the task got a connection
}

// addWorker adds a worker, which works until the context ends.
func (ws *workers) addWorker(ctx context.Context) {
	ws.idle.Add(1)
	ws.work.Go(func() {
		for ws.runTasks(ctx) {
		}
	})
}

// runTasks runs tasks until one is aborted, which ends their context. It reports false if
// the worker is not needed any more.
func (ws *workers) runTasks(ctx context.Context) bool {
	var w worker
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { w.connected.Store(true) }}
	own, abort := context.WithCancel(httptrace.WithClientTrace(ctx, trace))
	defer abort()
	w.abort = abort
	for own.Err() == nil {
		if !ws.runNextTask(ctx, own, &w) {
			return false
		}
	}
	return ctx.Err() == nil
}

// runNextTask runs one task. Before that it makes sure that another worker waits for the
// next one.
func (ws *workers) runNextTask(ctx, own context.Context, w *worker) bool {
	select {
	case <-ctx.Done():
		return false
	case t := <-ws.tasks:
		if ws.idle.Add(-1) == 0 {
			ws.addWorker(ctx)
		}
		w.connected.Store(false)
		t(own, w)
	}
	if ws.idle.Add(1) > maxIdle {
		ws.idle.Add(-1)
		return false
	}
	return true
}
