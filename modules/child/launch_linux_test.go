package child_test

import (
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-aggregator/modules/child"
)

// A child is killed when the thread that started it ends: it has to be one that
// never does, whatever becomes of Go's other threads.
func TestOneThreadStartsAllChildren(t *testing.T) {
	thread := func() (id int) {
		_ = child.Launch(func() error {
			id = unix.Gettid()
			return nil
		})
		return id
	}
	first := thread()
	for range 50 {
		var gone sync.WaitGroup
		for range 4 {
			gone.Go(runtime.LockOSThread) // and the thread ends with the goroutine
		}
		gone.Wait()
		want(t, "thread", thread(), first)
	}
}
