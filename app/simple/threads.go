package simple

import (
	"runtime"
	"sync"
)

// spareThreads is how many threads Go may need at once while it serves: to read and
// write the client's streams and the log, to wait for signals, and to start children.
const spareThreads = 8

// reserveThreads makes Go start its threads before there are children. Later the
// children may have used up the processes that the user is allowed, and Go ends a
// program that cannot get another thread.
func reserveThreads() {
	var started sync.WaitGroup
	release := make(chan struct{})
	for range spareThreads {
		started.Add(1)
		go func() { // ends below
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // and the thread stays with Go
			started.Done()
			<-release
		}()
	}
	started.Wait()
	close(release)
}
