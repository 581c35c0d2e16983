package remote

import (
	"context"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// maxIdle is how many goroutines wait for the next task.
const maxIdle = 64

// task is what a worker does, with a context that ends with the session.
type task func(ctx context.Context, w *worker)

// workers are the goroutines that send the requests of a session. One that is done with a
// task takes the next: its stack has grown to what HTTP needs, and it has a context.
type workers struct {
	tasks  chan task
	idle   atomic.Int32
	closed chan struct{} // closed when no more tasks are taken
	once   sync.Once
	work   sync.WaitGroup
}

func newWorkers() *workers { return &workers{tasks: make(chan task), closed: make(chan struct{})} }

// do has a worker do the task; it reports false if the session has ended.
func (ws *workers) do(t task) bool {
	select {
	case ws.tasks <- t: // one is always waiting
		return true
	case <-ws.closed:
		return false
	}
}

// close has no more tasks taken; it reports false if that was so already.
func (ws *workers) close() (first bool) {
	ws.once.Do(func() {
		close(ws.closed)
		first = true
	})
	return first
}

// worker is one of them, as its task sees it.
type worker struct {
	abort     context.CancelFunc // ends the context of the task
	connected atomic.Bool        // HTTP got a connection for a request of the task
}

// addWorker adds a worker, which works until the context ends.
func (ws *workers) addWorker(ctx context.Context) {
	ws.idle.Add(1)
	ws.work.Go(func() {
		for ws.serve(ctx) {
		}
	})
}

// serve does tasks until one was aborted; that takes the context with it. It reports false
// if the worker is not needed any more.
func (ws *workers) serve(ctx context.Context) bool {
	var w worker
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { w.connected.Store(true) }}
	own, abort := context.WithCancel(httptrace.WithClientTrace(ctx, trace))
	defer abort()
	w.abort = abort
	for own.Err() == nil {
		if !ws.next(ctx, own, &w) {
			return false
		}
	}
	return ctx.Err() == nil
}

// next does one task. Before that it sees to it that there is another worker for the one
// after it.
func (ws *workers) next(ctx, own context.Context, w *worker) bool {
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
