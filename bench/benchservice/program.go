package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// The programs, as make bench-service builds them.
const (
	aggregator = "bin/mcp-aggregator"
	child      = "bin/bench/child"
	backend    = "bin/bench/backend"
	typed      = "bin/bench/typedproxy"
)

// program is one that serves HTTP.
type program struct {
	cmd     *exec.Cmd
	address string    // host:port
	began   time.Time // right before exec
	drained chan struct{}
}

// startTime is how long a program may take until it says where it listens.
const startTime = 30 * time.Second

var listening = regexp.MustCompile(`listening at http://([^:/\s]+:\d+)`)

// start starts a program that says on standard error where it listens.
func start(argv ...string) (*program, error) {
	p := &program{cmd: exec.Command(argv[0], argv[1:]...), drained: make(chan struct{})}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	found := make(chan string, 1)
	said := make(chan string, 1)
	go p.listen(stderr, found, said)
	select {
	case p.address = <-found:
		return p, nil
	case text := <-said:
		err = errors.New(text)
	case <-time.After(startTime):
		err = fmt.Errorf("does not listen after %s", startTime)
	}
	return nil, fmt.Errorf("%s: %w", argv[0], errors.Join(err, p.stop()))
}

// listen reads standard error to its end: first for the address.
func (p *program) listen(stderr io.Reader, found, said chan<- string) {
	defer close(p.drained)
	lines := bufio.NewScanner(stderr)
	var before []string
	for lines.Scan() {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			found <- m[1]
			_, _ = io.Copy(io.Discard, stderr) // it ends with the program
			return
		}
		before = append(before, lines.Text())
	}
	said <- strings.Join(before, "\n")
}

// stop asks the program to end and waits for it. Programs of the benchmarks that
// know nothing of signals are ended by this one.
func (p *program) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	<-p.drained
	err := p.cmd.Wait()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() < 0 {
		return nil
	}
	return err
}

func (p *program) pid() int { return p.cmd.Process.Pid }
