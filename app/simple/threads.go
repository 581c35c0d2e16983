package app

import (
	"runtime"
	"sync"
)

// spareThreads is how many threads Go may need at once while it serves: those
// that read and write the client's streams and the log, that wait for signals,
// and that start children.
const spareThreads = 8

// reserveThreads has Go start its threads before there are children. Later,
// when they may have used up the processes that the user is allowed, Go would
// end the program for the lack of one thread more.
func reserveThreads() {
	var there sync.WaitGroup
	leave := make(chan struct{})
	for range spareThreads {
		there.Add(1)
		go func() { // ends below
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // and the thread stays with Go
			there.Done()
			<-leave
		}()
	}
	there.Wait()
	close(leave)
}
