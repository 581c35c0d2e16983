package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// session is one conversation with a program under measurement. It reads no
// more of an answer than its id.
type session struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *bufio.Reader
	prefix string // of the tools' names
	next   int
}

// open starts the program and opens the pipes to it.
func open(prefix string, argv ...string) (*session, error) {
	s := &session{cmd: exec.Command(argv[0], argv[1:]...), prefix: prefix}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = theirIn, theirOut, os.Stderr
	s.in, s.out = in, bufio.NewReaderSize(out, 1<<16)
	err = s.cmd.Start()
	_, _ = theirIn.Close(), theirOut.Close()
	return s, err
}

// close ends the session and waits for the program.
func (s *session) close() error {
	_ = s.in.Close() // the program ends with its input
	return s.cmd.Wait()
}

// greet opens the MCP session.
func (s *session) greet() error {
	err := s.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	if err != nil {
		return err
	}
	_, err = s.in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	return err
}

// ask makes one request and waits for its answer.
func (s *session) ask(method, params string) error {
	s.next++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.next, method, params); err != nil {
		return err
	}
	_, _, err := s.answer()
	return err
}

// beside makes a call and leaves its answer to a later read.
func (s *session) beside(params string) error {
	s.next++
	_, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", s.next, params)
	return err
}

func (s *session) list() error { return s.ask("tools/list", "{}") }

// answer skips to the next answer and returns its id and its size in bytes.
func (s *session) answer() (id, size int, err error) {
	for {
		id, size, err = s.line()
		if err != nil || id != 0 {
			return id, size, err
		}
	}
}

var idMark = []byte(`"id":`)

// line reads one line; the id is 0 when that is no answer.
func (s *session) line() (id, size int, err error) {
	head, err := s.out.ReadSlice('\n')
	if _, rest, found := bytes.Cut(head[:min(len(head), 200)], idMark); found {
		for _, c := range rest {
			if c < '0' || c > '9' {
				break
			}
			id = 10*id + int(c-'0')
		}
		if bytes.Contains(head[:min(len(head), 200)], []byte(`"error":`)) {
			return id, 0, fmt.Errorf("answer is an error: %.300s", head)
		}
	}
	size = len(head)
	for errors.Is(err, bufio.ErrBufferFull) {
		head, err = s.out.ReadSlice('\n')
		size += len(head)
	}
	return id, size, err
}

// load is a number of calls of one size.
type load struct {
	Size   int // bytes of argument and of result
	Flight int // calls open at once
	calls  int // in one round
}

func (l load) String() string { return fmt.Sprintf("%d B, %d at once", l.Size, l.Flight) }

// measured is what one load took.
type measured struct {
	perCall   time.Duration
	latencies []time.Duration
}

// run makes the calls of l.
func (s *session) run(l load) (measured, error) {
	tail := fmt.Appendf(nil, `,"method":"tools/call","params":{"name":"%sx%d","arguments":{"p":"%s"}}}`+"\n",
		s.prefix, l.Size, strings.Repeat("x", l.Size))
	sent := make([]time.Time, l.calls)
	m := measured{latencies: make([]time.Duration, 0, l.calls)}
	first := s.next + 1
	s.next += l.calls
	write := func(from, count int) error { return s.write(tail, first+from, count) }
	if l.Flight > 1 {
		var stop func()
		write, stop = inBackground(write, l.Flight)
		defer stop()
	}
	send := func(from, count int) error {
		now := time.Now()
		for i := range count {
			sent[from+i] = now
		}
		return write(from, count)
	}
	began := time.Now()
	if err := send(0, l.Flight); err != nil {
		return m, err
	}
	for done, next := 0, l.Flight; done < l.calls; {
		ready := 0
		for ready == 0 || s.out.Buffered() > 0 && done < l.calls && next+ready < l.calls {
			id, size, err := s.answer()
			if err != nil {
				return m, err
			}
			if id < first || size < l.Size {
				return m, fmt.Errorf("answer %d of %d bytes", id-first, size)
			}
			m.latencies = append(m.latencies, time.Since(sent[id-first]))
			done++
			ready++
		}
		ready = min(ready, l.calls-next)
		if ready > 0 {
			if err := send(next, ready); err != nil {
				return m, err
			}
			next += ready
		}
	}
	m.perCall = time.Since(began) / time.Duration(l.calls)
	return m, nil
}

// write writes count calls at once.
func (s *session) write(tail []byte, id, count int) error {
	var batch []byte
	for i := range count {
		batch = append(batch, `{"jsonrpc":"2.0","id":`...)
		batch = strconv.AppendInt(batch, int64(id+i), 10)
		batch = append(batch, tail...)
	}
	_, err := s.in.Write(batch)
	return err
}

// inBackground has write done by a goroutine of its own: calls and answers that
// fill both pipes would wait for each other.
func inBackground(write func(from, count int) error, room int) (queue func(from, count int) error, stop func()) {
	type order struct{ from, count int }
	orders := make(chan order, room+1)
	failed := make(chan error, 1)
	go func() { // ends with stop
		for o := range orders {
			if err := write(o.from, o.count); err != nil {
				failed <- err
				return
			}
		}
	}()
	return func(from, count int) error {
		select {
		case err := <-failed:
			return err
		case orders <- order{from, count}:
			return nil
		}
	}, func() { close(orders) }
}
