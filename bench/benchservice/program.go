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

// program is a running program that serves HTTP.
type program struct {
	cmd     *exec.Cmd
	address string    // host:port
	began   time.Time // right before exec
	drained chan struct{}
}

// startTime bounds how long a program may take to report its address.
const startTime = 30 * time.Second

var listening = regexp.MustCompile(`listening at http://([^:/\s]+:\d+)`)

// start starts a program that reports its address on standard error.
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
	output := make(chan string, 1)
	go p.listen(stderr, found, output)
	select {
	case p.address = <-found:
		return p, nil
	case text := <-output:
		err = errors.New(text)
	case <-time.After(startTime):
		err = fmt.Errorf("does not listen after %s", startTime)
	}
	return nil, fmt.Errorf("%s: %w", argv[0], errors.Join(err, p.stop()))
}

// listen reads the address from standard error, and then discards the rest.
func (p *program) listen(stderr io.Reader, found, output chan<- string) {
	defer close(p.drained)
	lines := bufio.NewScanner(stderr)
	var before []string
	for lines.Scan() {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			found <- m[1]
			_, _ = io.Copy(io.Discard, stderr) // ends with the program
			return
		}
		before = append(before, lines.Text())
	}
	output <- strings.Join(before, "\n")
}

// stop terminates the program and waits for it. Programs that do not handle the signal are
// killed by it.
func (p *program) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // the program may have exited already
	<-p.drained
	err := p.cmd.Wait()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() < 0 {
		return nil
	}
	return err
}

func (p *program) pid() int { return p.cmd.Process.Pid }
