package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"mcp-aggregator/bench/report"
)

// pipe is a child called directly, without a gateway.
type pipe struct {
	mu  sync.Mutex // held during a call
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// openPipe starts a child and a session with it.
func openPipe() (p *pipe, err error) {
	p = &pipe{cmd: exec.Command(child)}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = io.WriteString(p.in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`+"\n")
	if err != nil {
		return nil, err
	}
	_, err = p.out.ReadSlice('\n')
	return p, err
}

func (p *pipe) close() error {
	_ = p.in.Close() // the child exits at the end of its input
	return p.cmd.Wait()
}

// line is an encoded call.
var line = []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, firstID, params("x100")) + "\n")

// call makes one call and returns its answer.
func (p *pipe) call() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.in.Write(line); err != nil {
		return nil, err
	}
	answer, err := p.answer()
	return bytes.Clone(answer), err
}

// answer returns the next answer, which is valid until the following one.
func (p *pipe) answer() ([]byte, error) {
	answer, err := p.out.ReadSlice('\n')
	if err == nil && !sound(answer) {
		err = fmt.Errorf("not a result: %.200s", answer)
	}
	return answer, err
}

// run makes calls for a while, with a fixed number in flight: each answer triggers the
// next call.
func (p *pipe) run(flight int, d time.Duration) (report.Samples, error) {
	t := &traffic{pipe: p, lines: bytes.Repeat(line, flight)}
	stop := time.Now().Add(d)
	for free := flight; ; {
		if now := time.Now(); now.Before(stop) {
			if err := t.ask(free, now); err != nil {
				return nil, err
			}
		} else if len(t.sent) == 0 {
			return t.took, nil
		}
		before := len(t.took)
		if err := t.read(); err != nil {
			return nil, err
		}
		free = len(t.took) - before
	}
}

// traffic is the state of one run.
type traffic struct {
	*pipe

	lines []byte
	sent  []time.Time // the open calls, oldest first
	took  report.Samples
}

func (t *traffic) ask(count int, now time.Time) error {
	for range count {
		t.sent = append(t.sent, now)
	}
	_, err := t.in.Write(t.lines[:count*len(line)])
	return err
}

// read reads an answer and those that have already arrived. The child answers in order.
func (t *traffic) read() error {
	for more := true; more && len(t.sent) > 0; {
		if _, err := t.answer(); err != nil {
			return err
		}
		t.took = append(t.took, report.Microseconds(time.Since(t.sent[0])))
		t.sent = t.sent[1:]
		waiting, _ := t.out.Peek(t.out.Buffered()) // buffered bytes, so it cannot fail
		more = bytes.IndexByte(waiting, '\n') >= 0
	}
	return nil
}
