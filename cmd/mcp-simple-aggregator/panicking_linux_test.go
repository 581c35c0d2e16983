package main_test

import (
	"syscall"

	program "mcp-aggregator/cmd/mcp-simple-aggregator"
)

// panicking is the program, which panics on SIGUSR1.
func panicking() {
	fault := catch(syscall.SIGUSR1)
	go func() {
		<-fault
		panic("something is wrong")
	}()
	program.Main()
}
