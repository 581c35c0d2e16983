package main_test

import (
	"syscall"

	program "mcp-aggregator/cmd/mcp-simple-aggregator"
)

// panicking is the program with a fault in it, which SIGUSR1 brings about.
func panicking() {
	fault := notified(syscall.SIGUSR1)
	go func() {
		<-fault
		panic("something is wrong")
	}()
	program.Main()
}
