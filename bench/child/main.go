// Command child is an MCP server with minimal cost: it parses only the head of each line
// and answers with precomputed bytes.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	tools := flag.Int("tools", 0, "how many tools more than those of the benchmarks")
	list := flag.String("offer", "", "file with the JSON array of the tools to offer instead")
	slow := flag.Duration("slow", 0, "wait before the answer to initialize")
	flag.Parse()
	offered := offer(*tools)
	if *list != "" {
		text, err := os.ReadFile(*list)
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		offered = prepare(`{"tools":` + string(text) + `}`)
	}
	s := &server{tools: offered, results: make(map[string]*result), slow: *slow, out: output{file: os.Stdout}}
	if err := s.serve(bufio.NewReaderSize(os.Stdin, 1<<16)); !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

// server answers requests, one per line.
type server struct {
	tools   *result            // result of tools/list
	results map[string]*result // by name of the tool
	slow    time.Duration      // delay before it answers initialize
	out     output
}

// headSize is how much of a line is parsed: it includes method, id and name.
const headSize = 300

// serve answers requests until the input ends, and returns its error.
func (s *server) serve(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		s.answer(line[:min(len(line), headSize)])
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
		if err != nil {
			return err
		}
		if in.Buffered() > 0 {
			continue
		}
		if err := s.out.flush(); err != nil {
			return err
		}
	}
}

var (
	idMark   = []byte(`"id":`)
	callMark = []byte(`"tools/call"`)
	nameMark = []byte(`"name":"`)
)

// answer answers the request that begins with head.
func (s *server) answer(head []byte) {
	_, rest, found := bytes.Cut(head, idMark)
	if !found { // a notification
		return
	}
	id := rest[:bytes.IndexAny(rest, ",}")]
	switch {
	case bytes.Contains(head, callMark):
		s.call(id, head)
	case bytes.Contains(head, []byte(`"initialize"`)):
		time.Sleep(s.slow)
		s.out.reply(id, prepare(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"child","version":"1"}}`))
	case bytes.Contains(head, []byte(`"tools/list"`)):
		s.out.reply(id, s.tools)
	default:
		s.out.reply(id, prepare(`{}`))
	}
}

func (s *server) call(id, head []byte) {
	_, rest, _ := bytes.Cut(head, nameMark)
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	if string(name) == slowTool {
		answer := append([]byte(nil), prepare(`{}`).line(id)...)
		time.AfterFunc(2*time.Second, func() { _, _ = os.Stdout.Write(answer) }) // a single write cannot interleave with other lines
		return
	}
	r := s.results[string(name)]
	if r == nil {
		r = prepare(resultOf(string(name)))
		s.results[string(name)] = r
	}
	s.out.reply(id, r)
}
