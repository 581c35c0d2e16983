// Command child is an MCP server that costs next to nothing: it reads no more
// of a line than its id, and answers with bytes that it made before.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// server answers lines.
type server struct {
	tools   []byte            // the result of tools/list
	results map[string][]byte // by the tool's name
	slow    time.Duration     // before tools/list is answered
	out     *bufio.Writer
}

func main() {
	tools := flag.Int("tools", 0, "how many tools more than those of the benchmarks")
	slow := flag.Duration("slow", 0, "wait before the answer to initialize")
	flag.Parse()
	s := &server{results: make(map[string][]byte), slow: *slow, out: bufio.NewWriterSize(os.Stdout, 1<<16)}
	s.offer(*tools)
	if err := s.serve(bufio.NewReaderSize(os.Stdin, 1<<16)); !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

// slowTool takes two seconds.
const slowTool = "wait2s"

// offer makes the list of tools. The tool x100 results in 100 bytes of text.
func (s *server) offer(more int) {
	var list []string
	for _, name := range []string{"x100", "x10000", "x1000000", "x67108864", slowTool} {
		list = append(list, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
	}
	for i := range more {
		list = append(list, fmt.Sprintf(`{"name":"tool_number_%d","description":"A tool of a long list, with a description of the usual length for such a tool.",`+
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where to look."}},"required":["path"]}}`, i))
	}
	s.tools = []byte(`{"tools":[` + strings.Join(list, ",") + `]}`)
}

// serve returns what the input ends with.
func (s *server) serve(in *bufio.Reader) error {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return err
		}
		s.answer(line)
		line = line[:0]
		if in.Buffered() == 0 {
			if err := s.out.Flush(); err != nil {
				return err
			}
		}
	}
}

var (
	idMark   = []byte(`"id":`)
	nameMark = []byte(`"name":"`)
)

func (s *server) answer(line []byte) {
	head := line[:min(len(line), 300)]
	_, rest, found := bytes.Cut(head, idMark)
	if !found { // a notification
		return
	}
	id := rest[:bytes.IndexAny(rest, ",}")]
	switch {
	case bytes.Contains(head, []byte(`"initialize"`)):
		time.Sleep(s.slow)
		s.reply(id, []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"child","version":"1"}}`))
	case bytes.Contains(head, []byte(`"tools/list"`)):
		s.reply(id, s.tools)
	case bytes.Contains(head, []byte(`"tools/call"`)):
		s.call(id, head)
	default:
		s.reply(id, []byte(`{}`))
	}
}

func (s *server) call(id, head []byte) {
	_, rest, _ := bytes.Cut(head, nameMark)
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	if string(name) != slowTool {
		s.reply(id, s.result(string(name)))
		return
	}
	answer := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":{}}`+"\n"...)
	time.AfterFunc(2*time.Second, func() { _, _ = os.Stdout.Write(answer) }) // one write: it falls between lines
}

// result returns the result of a tool, which is made when it is first called.
func (s *server) result(name string) []byte {
	if s.results[name] == nil {
		size, _ := strconv.Atoi(strings.TrimPrefix(name, "x"))
		s.results[name] = []byte(`{"content":[{"type":"text","text":"` + strings.Repeat("x", size) + `"}]}`)
	}
	return s.results[name]
}

func (s *server) reply(id, result []byte) {
	_, _ = s.out.WriteString(`{"jsonrpc":"2.0","id":`) // Flush tells of an error
	_, _ = s.out.Write(id)
	_, _ = s.out.WriteString(`,"result":`)
	_, _ = s.out.Write(result)
	_, _ = s.out.WriteString("}\n")
}
