package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// session is a connection to a program under test. It parses only the head of each
// answer.
type session struct {
	cmd   *exec.Cmd
	in    *os.File
	pipe  *os.File // read by out
	out   *bufio.Reader
	began time.Time // right before exec
	next  int
}

// firstID has as many digits as all following ids, so that ids can be overwritten in place.
const firstID = 1_000_000_000

// open starts the program and opens the pipes to it.
func open(argv ...string) (*session, error) {
	s := &session{cmd: exec.Command(argv[0], argv[1:]...), next: firstID}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = theirIn, theirOut, os.Stderr
	s.in, s.pipe, s.out = in, out, bufio.NewReaderSize(out, 1<<16)
	in.Fd() // makes it blocking, which is cheaper than Go's poller
	out.Fd()
	s.began = time.Now()
	err = s.cmd.Start()
	_, _ = theirIn.Close(), theirOut.Close()
	return s, err
}

// close ends the session and waits for the program.
func (s *session) close() error {
	_ = s.in.Close() // the program exits at the end of its input
	err := s.cmd.Wait()
	_ = s.pipe.Close()
	return err
}

// ready waits until the tools of a newly opened program are listed.
func ready(s *session, err error) (*session, error) {
	if err != nil {
		return nil, err
	}
	if err := s.greet(); err != nil {
		return nil, err
	}
	return s, s.list()
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

func (s *session) list() error { return s.ask("tools/list", "{}") }

// ask sends one request and waits for its answer.
func (s *session) ask(method, params string) error {
	if err := s.send(method, params); err != nil {
		return err
	}
	_, _, err := s.answer()
	return err
}

// send sends one request without waiting for its answer.
func (s *session) send(method, params string) error {
	_, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.next, method, params)
	s.next++
	return err
}

// answer reads up to the next answer and returns its id and its size in bytes.
func (s *session) answer() (id, size int, err error) {
	for {
		id, size, err = s.line()
		if err != nil || id != 0 {
			return id, size, err
		}
	}
}

// line reads one line. The id is 0 if it is not an answer.
func (s *session) line() (id, size int, err error) {
	head, err := s.out.ReadSlice('\n')
	id, failed := idOf(head[:min(len(head), 200)])
	if failed != nil {
		return 0, 0, failed
	}
	size = len(head)
	for errors.Is(err, bufio.ErrBufferFull) {
		head, err = s.out.ReadSlice('\n')
		size += len(head)
	}
	return id, size, err
}

var (
	idMark     = []byte(`"id":`)
	resultMark = []byte(`,"result":`)
)

// idOf returns the id of the result that begins with head, or 0.
func idOf(head []byte) (id int, err error) {
	_, rest, found := bytes.Cut(head, idMark)
	if !found {
		return 0, nil
	}
	for len(rest) > 0 && '0' <= rest[0] && rest[0] <= '9' {
		id = 10*id + int(rest[0]-'0')
		rest = rest[1:]
	}
	if !bytes.HasPrefix(rest, resultMark) {
		return 0, fmt.Errorf("not a result: %s", head)
	}
	return id, nil
}

// another reports whether another complete line has arrived.
func (s *session) another() bool {
	waiting, _ := s.out.Peek(s.out.Buffered()) // buffered bytes, so it cannot fail
	return bytes.IndexByte(waiting, '\n') >= 0
}
