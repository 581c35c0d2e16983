package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
)

// chaosClient is the client of the chaos test: several concurrent callers, and one
// goroutine that reads and checks every line.
type chaosClient struct {
	*requestLog
	in  *io.PipeWriter
	out *io.PipeReader

	writeMu     sync.Mutex          // one line at a time, and no partial one at the end
	requests    chan *clientMessage // of children; nil for a changed list
	initialized chan struct{}       // closed by the response to initialize
	pinged      chan struct{}       // closed by the response to ping
	stopped     chan struct{}       // closed when the aggregator has stopped
	work        sync.WaitGroup
}

// clientMessage is one message that the client reads.
type clientMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProgressToken json.RawMessage
		Text          string
	}
	Result *struct {
		payload
		Tools json.RawMessage
	}
	Error *rpcError
}

type rpcError struct {
	Code    int
	Message string
}

func newChaosClient(in *io.PipeWriter, out *io.PipeReader) *chaosClient {
	c := &chaosClient{
		requestLog: newRequestLog(), in: in, out: out,
		requests: make(chan *clientMessage, 1000), initialized: make(chan struct{}), pinged: make(chan struct{}), stopped: make(chan struct{}),
	}
	c.work.Go(c.read)
	c.work.Go(c.respond)
	return c
}

// writeLine sends one line, and reports whether the aggregator still reads.
func (c *chaosClient) writeLine(format string, args ...any) bool {
	line := fmt.Sprintf(format+"\n", args...)
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	_, err := io.WriteString(c.in, line)
	return err == nil
}

// close closes the client's end, after a whole line.
func (c *chaosClient) close() {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	_ = c.in.Close() // never fails
}

// call calls tools of all children until the aggregator no longer reads.
func (c *chaosClient) call(caller int, random *rand.Rand) {
	for {
		child := random.IntN(chaosChildren)
		n, ok := c.add(caller, child, padding(random, child))
		if !ok { // the well-behaved ones soon have room for another
			n, ok = c.add(caller, random.IntN(chaosWellBehaved), "")
		}
		switch {
		case !ok && !c.wait(caller), ok && !c.send(n, random):
			return
		case ok && random.IntN(12) == 0:
			c.cancel(n)
			c.writeLine(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, rawID(n))
		}
	}
}

// padding makes some calls large, to children that may refuse them.
func padding(random *rand.Rand, child int) string {
	if child < chaosWellBehaved || random.IntN(50) > 0 {
		return ""
	}
	return strings.Repeat("x", random.IntN(100<<10))
}

// wait waits for a response, and reports whether there was one.
func (c *chaosClient) wait(caller int) bool {
	select {
	case <-c.freed[caller]:
		return true
	case <-c.stopped:
		return false
	}
}

// send sends call n.
func (c *chaosClient) send(n int, random *rand.Rand) bool {
	text := c.text(n)
	child, _, _ := strings.Cut(text, " ")
	tool := "echo"
	if random.IntN(4) == 0 {
		tool = "other"
	}
	ok := c.writeLine(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s:%s","arguments":{"text":%q},"_meta":{"progressToken":%s}}}`, rawID(n), child, tool, text, rawID(n))
	if ok {
		c.sent(n)
	}
	return ok
}

// read checks every line until the end of the output.
func (c *chaosClient) read() {
	defer close(c.requests)
	lines := bufio.NewReaderSize(c.out, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		c.handle(bytes.TrimSuffix(line, []byte("\n")))
	}
}

func (c *chaosClient) handle(line []byte) {
	var m clientMessage
	if err := json.Unmarshal(line, &m); err != nil {
		c.unexpected(err.Error(), line)
		return
	}
	switch m.Method {
	case "":
		c.handleResponse(&m, line)
	case "sampling/createMessage", "roots/list", "vendor/ask":
		c.enqueue(&m)
	case "notifications/tools/list_changed":
		c.enqueue(nil)
	case "notifications/progress":
		c.progress(m.Params.ProgressToken, m.Params.Text, line)
	case "notifications/message", "notifications/vendor", "notifications/cancelled":
		c.other()
	case "notifications/wrong":
		c.unexpected("a child reports an error", line)
	default:
		c.unexpected("a message that no child sends", line)
	}
}

func (c *chaosClient) handleResponse(m *clientMessage, line []byte) {
	switch string(m.ID) {
	case `"hello"`:
		close(c.initialized)
	case `"ping"`:
		close(c.pinged)
	default:
		c.answer(m, line)
	}
}

// enqueue passes a request to respond, or drops it, because read must not block.
func (c *chaosClient) enqueue(request *clientMessage) {
	select {
	case c.requests <- request:
	default:
	}
}

// respond answers the children, and reads the list whenever it changes.
func (c *chaosClient) respond() {
	turn := 0
	for request := range c.requests {
		switch turn++; {
		case request == nil:
			n := c.addList()
			if c.writeLine(`{"jsonrpc":"2.0","id":%s,"method":"tools/list"}`, rawID(n)) {
				c.sent(n)
			}
		case turn%8 == 0: // some requests are never answered
		case turn%8 == 1:
			c.writeLine(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no"}}`, request.ID)
		default:
			c.writeLine(`{"jsonrpc":"2.0","id":%s,"result":{"text":%q}}`, request.ID, request.Params.Text)
		}
	}
}
