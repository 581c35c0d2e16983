// Command relay starts the program given by its arguments and copies bytes in both
// directions: the minimum cost of a process between client and server.
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
	in.Fd() // makes it blocking, which is cheaper than Go's poller
	out.Fd()
	widen(out)
	widen(os.Stdout)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	_, _ = theirIn.Close(), theirOut.Close() // the child holds its own copies
	go func() {                              // ends at the end of the input
		pump(in, os.Stdin)
		_ = in.Close() // everything has been written
	}()
	pump(os.Stdout, out)
	return cmd.Wait()
}

// pump copies with a buffer that fits the processor's cache.
func pump(dst io.Writer, src io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		if _, failed := dst.Write(buf[:n]); err != nil || failed != nil {
			return
		}
	}
}
