package app_test

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

// crowd is the client of the chaos test: several callers at a time, and one
// ear that hears whatever they do.
type crowd struct {
	*ledger
	in  *io.PipeWriter
	out *io.PipeReader

	speaking sync.Mutex    // a line at a time, and no half one at the end
	replies  chan *told    // what children ask; nil for a changed list
	greeted  chan struct{} // closed by the answer to initialize
	ponged   chan struct{} // closed by the answer to ping
	over     chan struct{} // closed when nobody takes a call any more
	work     sync.WaitGroup
}

// told is one line that the client hears.
type told struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProgressToken json.RawMessage
		Text          string
	}
	Result *struct {
		said
		Tools json.RawMessage
	}
	Error *problem
}

type problem struct {
	Code    int
	Message string
}

func newCrowd(in *io.PipeWriter, out *io.PipeReader) *crowd {
	c := &crowd{
		ledger: newLedger(), in: in, out: out,
		replies: make(chan *told, 1000), greeted: make(chan struct{}), ponged: make(chan struct{}), over: make(chan struct{}),
	}
	c.work.Go(c.hear)
	c.work.Go(c.reply)
	return c
}

// say sends one line; false when nobody takes it any more.
func (c *crowd) say(format string, args ...any) bool {
	line := fmt.Sprintf(format+"\n", args...)
	c.speaking.Lock()
	defer c.speaking.Unlock()
	_, err := io.WriteString(c.in, line)
	return err == nil
}

// close ends the client's lines, after a whole one.
func (c *crowd) close() {
	c.speaking.Lock()
	defer c.speaking.Unlock()
	_ = c.in.Close() // never fails
}

// call calls tools of all children until nobody takes a call any more.
func (c *crowd) call(caller int, dice *rand.Rand) {
	for {
		child := dice.IntN(chaosChildren)
		n, ok := c.add(caller, child, padding(dice, child))
		if !ok { // those that behave have soon room for another
			n, ok = c.add(caller, dice.IntN(chaosTame), "")
		}
		switch {
		case !ok && !c.wait(caller), ok && !c.send(n, dice):
			return
		case ok && dice.IntN(12) == 0:
			c.cancel(n)
			c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, rawID(n))
		}
	}
}

// padding makes some of the calls large, to the children that may refuse them.
func padding(dice *rand.Rand, child int) string {
	if child < chaosTame || dice.IntN(50) > 0 {
		return ""
	}
	return strings.Repeat("x", dice.IntN(100<<10))
}

// wait waits for an answer; false when there will be none.
func (c *crowd) wait(caller int) bool {
	select {
	case <-c.freed[caller]:
		return true
	case <-c.over:
		return false
	}
}

// send sends call n.
func (c *crowd) send(n int, dice *rand.Rand) bool {
	text := c.text(n)
	child, _, _ := strings.Cut(text, " ")
	tool := "echo"
	if dice.IntN(4) == 0 {
		tool = "other"
	}
	ok := c.say(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s:%s","arguments":{"text":%q},"_meta":{"progressToken":%s}}}`, rawID(n), child, tool, text, rawID(n))
	if ok {
		c.sent(n)
	}
	return ok
}

// hear judges every line until there are no more.
func (c *crowd) hear() {
	defer close(c.replies)
	lines := bufio.NewReaderSize(c.out, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		c.judge(bytes.TrimSuffix(line, []byte("\n")))
	}
}

func (c *crowd) judge(line []byte) {
	var m told
	if err := json.Unmarshal(line, &m); err != nil {
		c.wrong(err.Error(), line)
		return
	}
	switch m.Method {
	case "":
		c.answered(&m, line)
	case "sampling/createMessage", "roots/list", "vendor/ask":
		c.queue(&m)
	case "notifications/tools/list_changed":
		c.queue(nil)
	case "notifications/progress":
		c.progress(m.Params.ProgressToken, m.Params.Text, line)
	case "notifications/message", "notifications/vendor", "notifications/cancelled":
		c.other()
	case "notifications/wrong":
		c.wrong("a child complains", line)
	default:
		c.wrong("nothing that a child says", line)
	}
}

func (c *crowd) answered(m *told, line []byte) {
	switch string(m.ID) {
	case `"hello"`:
		close(c.greeted)
	case `"ping"`:
		close(c.ponged)
	default:
		c.answer(m, line)
	}
}

// queue leaves a question to reply, or drops it: who hears may not wait.
func (c *crowd) queue(question *told) {
	select {
	case c.replies <- question:
	default:
	}
}

// reply answers the children, and reads the list whenever it changes.
func (c *crowd) reply() {
	turn := 0
	for question := range c.replies {
		switch turn++; {
		case question == nil:
			n := c.addList()
			if c.say(`{"jsonrpc":"2.0","id":%s,"method":"tools/list"}`, rawID(n)) {
				c.sent(n)
			}
		case turn%8 == 0: // some questions are never answered
		case turn%8 == 1:
			c.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no"}}`, question.ID)
		default:
			c.say(`{"jsonrpc":"2.0","id":%s,"result":{"text":%q}}`, question.ID, question.Params.Text)
		}
	}
}
