package remote

import (
	"context"
	"sync"
	"sync/atomic"
)

// maxIdle is how many goroutines wait for the next task.
const maxIdle = 64

// workers are the goroutines that send the requests of a session. One that is done with a
// task takes the next: its stack has grown to what HTTP needs.
type workers struct {
	tasks     chan func(context.Context)
	idle      *atomic.Int32
	dismissed chan struct{} // closed when no more tasks are taken
	once      *sync.Once
	work      *sync.WaitGroup
}

func newWorkers() workers {
	return workers{
		tasks: make(chan func(context.Context)), idle: new(atomic.Int32),
		dismissed: make(chan struct{}), once: new(sync.Once), work: new(sync.WaitGroup),
	}
}

// do has a worker do the task, with the context of the session; it reports false if the
// session has ended.
func (w *workers) do(task func(ctx context.Context)) bool {
	select {
	case w.tasks <- task: // one is always waiting
		return true
	case <-w.dismissed:
		return false
	}
}

// hire adds a worker, which works until the context ends.
func (w *workers) hire(ctx context.Context) {
	w.idle.Add(1)
	w.work.Go(func() {
		for w.serve(ctx) {
		}
	})
}

// serve does one task. Before that it sees to it that there is another worker for the
// next. It reports false if it is not needed any more.
func (w *workers) serve(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case task := <-w.tasks:
		if w.idle.Add(-1) == 0 {
			w.hire(ctx)
		}
		task(ctx)
	}
	if w.idle.Add(1) > maxIdle {
		w.idle.Add(-1)
		return false
	}
	return true
}

// dismiss has no more tasks taken; it reports false if that was so already.
func (w *workers) dismiss() (first bool) {
	w.once.Do(func() {
		close(w.dismissed)
		first = true
	})
	return first
}
