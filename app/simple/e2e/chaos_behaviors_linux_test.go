package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// initializeBehaviors are the ways in which a child handles initialize.
var initializeBehaviors = []behavior[func(*chaosChild, *childMessage)]{
	{30, "as usual", (*chaosChild).initialize},
	{2, "slowly", func(c *chaosChild, m *childMessage) { time.Sleep(300 * time.Millisecond); c.initialize(m) }},
	{1, "after a banner", func(c *chaosChild, m *childMessage) { c.write("\ufeffWelcome!\r\n\n"); c.initialize(m) }},
	{1, "speaks first", func(c *chaosChild, m *childMessage) { c.request(); c.write(changed); c.initialize(m) }},
	{1, "never", func(*chaosChild, *childMessage) {}},
	{1, "with garbage", func(c *chaosChild, m *childMessage) { c.result(m, `[{"protocolVersion":17}]`) }},
	{1, "in another version", func(c *chaosChild, m *childMessage) {
		c.result(m, `{"protocolVersion":"1999-01-01","capabilities":{}}`)
	}},
	{1, "ends", func(*chaosChild, *childMessage) { os.Exit(0) }},
	{1, "crashes", func(*chaosChild, *childMessage) { raise(syscall.SIGKILL) }},
}

// callBehaviors are the ways in which a child handles a call.
var callBehaviors = []behavior[func(*chaosChild, *childMessage)]{
	{700, "answers", (*chaosChild).respond},
	{50, "answers slowly", func(c *chaosChild, m *childMessage) {
		wait := time.Duration(c.readRand.IntN(200)) * time.Millisecond
		go func() { time.Sleep(wait); c.respond(m) }()
	}},
	{50, "reports progress", func(c *chaosChild, m *childMessage) {
		for n := range 3 {
			c.writeLine(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"text":%s}}`, m.Params.Meta.ProgressToken, n, quote(m.text()))
		}
		c.respond(m)
	}},
	{30, "sends a request", func(c *chaosChild, m *childMessage) { c.request(); c.respond(m) }},
	{30, "refuses", func(c *chaosChild, m *childMessage) {
		c.writeLine(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":%s}}`, m.ID, quote(m.text()))
	}},
	{20, "answers twice", func(c *chaosChild, m *childMessage) {
		c.respond(m)
		c.respond(m)
		c.mu.Lock()
		c.answered = m.ID
		c.mu.Unlock()
	}},
	{20, "answers under another spelling", func(c *chaosChild, m *childMessage) { m.ID = append(m.ID, ".0"...); c.respond(m) }},
	{20, "answers with a result and an error", func(c *chaosChild, m *childMessage) {
		c.writeLine(`{"jsonrpc":"2.0","id":%s,"result":{"text":"wrong"},"error":{"code":1,"message":"wrong"}}`, m.ID)
		c.respond(m)
	}},
	{20, "answers in what is not UTF-8", func(c *chaosChild, m *childMessage) { c.result(m, `{"text":`+quote(m.text())+`,"x":"`+"\xff"+`"}`) }},
	{20, "answers in what is not JSON", func(c *chaosChild, m *childMessage) { c.result(m, `{"text":`+quote(m.text())+`,x}`) }},
	{20, "answers in a batch", func(c *chaosChild, m *childMessage) {
		c.writeLine(`[{"jsonrpc":"2.0","id":%s,"result":{"text":%s}},17]`, m.ID, quote(m.text()))
	}},
	{20, "answers behind a byte order mark", func(c *chaosChild, m *childMessage) { c.write("\ufeff"); c.respond(m) }},
	{3, "answers at length", func(c *chaosChild, m *childMessage) {
		c.result(m, `{"text":`+quote(m.text())+`,"x":"`+strings.Repeat("x", c.readRand.IntN(3<<20))+`"}`)
	}},
	{2, "does not answer", func(*chaosChild, *childMessage) {}},
}

// spontaneousBehaviors are what a child does without being asked.
var spontaneousBehaviors = []behavior[func(*chaosChild)]{
	{30, "makes noise", func(c *chaosChild) { c.write(noiseLines[c.actRand.IntN(len(noiseLines))]) }},
	{5, "answers no request", func(c *chaosChild) {
		c.mu.Lock()
		last := c.answered
		c.mu.Unlock()
		for _, id := range []string{"-1", "null", `"x"`, "1e99", "123456789012345678901", string(last)} {
			c.writeLine(`{"jsonrpc":"2.0","id":%s,"result":{"text":"wrong"}}`, id)
		}
	}},
	{2, "floods standard output", func(c *chaosChild) {
		line := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + c.key + `"}}` + "\n"
		for range 10 + c.actRand.IntN(20) {
			c.write(strings.Repeat(line, 1000))
		}
	}},
	{3, "floods standard error", func(c *chaosChild) {
		noise := []byte(strings.Repeat("noise\n", 1<<c.actRand.IntN(14)))
		for range 100 {
			_, _ = os.Stderr.Write(noise)
		}
	}},
	{10, "sends a request", (*chaosChild).request},
	{10, "changes its tools", (*chaosChild).changeTools},
	{10, "restarts its grandchildren", (*chaosChild).restartGrandchild},
	{5, "stops reading for a while", func(c *chaosChild) {
		c.readMu.Lock()
		defer c.readMu.Unlock()
		time.Sleep(time.Duration(c.actRand.IntN(1000)) * time.Millisecond)
	}},
	{2, "stops for a while", func(*chaosChild) {
		wake := exec.Command("/bin/sh", "-c", fmt.Sprintf("sleep 0.3; kill -CONT %d", os.Getpid()))
		if err := wake.Start(); err == nil {
			raise(syscall.SIGSTOP)
			_ = wake.Wait()
		}
	}},
	{1, "stops for good", func(*chaosChild) { raise(syscall.SIGSTOP) }},
	{1, "ends", func(*chaosChild) { os.Exit(0) }},
	{1, "fails", func(*chaosChild) { os.Exit(7) }},
	{1, "fails in the middle of a line", func(c *chaosChild) { c.write(`{"jsonrpc":"2.0","id":1,"resu`); os.Exit(1) }},
	{1, "is killed", func(*chaosChild) { raise(syscall.SIGKILL) }},
	{1, "crashes", func(*chaosChild) { raise(syscall.SIGSEGV) }},
	{1, "closes standard input", func(*chaosChild) { _ = syscall.Close(0) }},
	{1, "closes standard output", func(*chaosChild) { _ = syscall.Close(1) }},
	{1, "closes standard error", func(*chaosChild) { _ = syscall.Close(2) }},
}

var noiseLines = []string{
	"\n", "\r\n", "\ufeff\n", "Listening on stdio\n", "\x1b[31mred\x1b[0m\n", "a\x00b\n", "\xff\xfe\n", "[]\n", "{}\n", "17\n", `"x"` + "\n",
	`{"jsonrpc":"2.0"}` + "\n", `{"id":1}` + "\n", `{"jsonrpc":"2.0","id":{},"result":{}}` + "\n", `{"jsonrpc":"2.0","method":17}` + "\n",
	`{"jsonrpc":"2.0","id":1,"resu` + "\n", `{"jsonrpc":"2.0","method":"notifications/vendor"}` + "\r\n",
	strings.Repeat("x", 3<<20) + "\n", strings.Repeat("[", 1<<20) + "\n",
}

// toolLists are the lists that changeTools switches between.
var toolLists = []string{
	defaultTools, `[{"name":"echo"}]`, `[{"name":"other"}]`, `[]`, `[{"name":"echo"},{"name":"echo"}]`, `{}`,
	`[{"name":"\u001b[31mred"},{"name":"\u202eother"},17,{"name":""},{"name":"echo"}]`,
}

func (c *chaosChild) changeTools() {
	c.mu.Lock()
	c.tools = toolLists[c.actRand.IntN(len(toolLists))]
	c.mu.Unlock()
	c.write(strings.Repeat(changed, 1<<c.actRand.IntN(6)))
}

const changed = listChanged + "\n"

// request sends the client a request. Its id names the child and is also its text.
func (c *chaosChild) request() {
	c.mu.Lock()
	c.requests++
	n := c.requests
	id := fmt.Sprint(c.key, " request ", n)
	c.open[id] = true
	c.mu.Unlock()
	method := []string{"sampling/createMessage", "roots/list", "elicitation/create", "vendor/ask"}[n%4]
	c.writeLine(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"text":%s,"_meta":{"progressToken":1}}}`, quote(id), method, quote(id))
}

// restartGrandchild kills one grandchild and starts another, which ignores SIGTERM
// and holds standard output and error open.
func (c *chaosChild) restartGrandchild() {
	if n := len(c.grandchildren); n > 2 {
		oldest := c.grandchildren[0]
		c.grandchildren = c.grandchildren[1:]
		_ = oldest.Kill()
		_, _ = oldest.Wait()
	}
	grandchild := exec.Command("/bin/sh", "-c", `trap "" TERM; exec sleep 120`)
	grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
	if err := grandchild.Start(); err == nil {
		c.grandchildren = append(c.grandchildren, grandchild.Process)
	}
}

func raise(s syscall.Signal) { _ = syscall.Kill(os.Getpid(), s) }
