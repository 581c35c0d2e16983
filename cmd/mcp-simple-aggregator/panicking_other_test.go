//go:build !linux

package main_test

import program "mcp-aggregator/cmd/mcp-simple-aggregator"

// panicking is the program: no test here makes it panic.
func panicking() { program.Main() }
