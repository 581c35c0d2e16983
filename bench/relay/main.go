// Command relay starts the program that its arguments name and copies bytes
// both ways: the floor for one more process between a client and a server.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() {
	if err := relay(exec.Command(os.Args[1], os.Args[2:]...)); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func relay(cmd *exec.Cmd) error {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return err
	}
	in.Fd() // makes it block, which costs less than Go's poller
	out.Fd()
	widen(out)
	widen(os.Stdout)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	_, _ = theirIn.Close(), theirOut.Close() // the child has them
	go func() {                              // ends with our input
		pump(in, os.Stdin)
		_ = in.Close() // nothing is left to lose
	}()
	pump(os.Stdout, out)
	return cmd.Wait()
}

// pump copies with a buffer that stays in the processor's cache.
func pump(dst io.Writer, src io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		if _, failed := dst.Write(buf[:n]); err != nil || failed != nil {
			return
		}
	}
}
