package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// greetings are the ways a child takes initialize.
var greetings = []habit[func(*wild, *heard)]{
	{30, "as usual", (*wild).greet},
	{2, "slowly", func(w *wild, m *heard) { time.Sleep(300 * time.Millisecond); w.greet(m) }},
	{1, "after a banner", func(w *wild, m *heard) { w.utter("\ufeffWelcome!\r\n\n"); w.greet(m) }},
	{1, "speaks first", func(w *wild, m *heard) { w.ask(); w.utter(changed); w.greet(m) }},
	{1, "never", func(*wild, *heard) {}},
	{1, "with garbage", func(w *wild, m *heard) { w.result(m, `[{"protocolVersion":17}]`) }},
	{1, "in another version", func(w *wild, m *heard) { w.result(m, `{"protocolVersion":"1999-01-01","capabilities":{}}`) }},
	{1, "ends", func(*wild, *heard) { os.Exit(0) }},
	{1, "crashes", func(*wild, *heard) { raise(syscall.SIGKILL) }},
}

// manners are the ways a child deals with a call.
var manners = []habit[func(*wild, *heard)]{
	{700, "answers", (*wild).answer},
	{50, "answers slowly", func(w *wild, m *heard) {
		wait := time.Duration(w.calls.IntN(200)) * time.Millisecond
		go func() { time.Sleep(wait); w.answer(m) }()
	}},
	{50, "reports progress", func(w *wild, m *heard) {
		for n := range 3 {
			w.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"text":%s}}`, m.Params.Meta.ProgressToken, n, quoted(m.text()))
		}
		w.answer(m)
	}},
	{30, "asks", func(w *wild, m *heard) { w.ask(); w.answer(m) }},
	{30, "refuses", func(w *wild, m *heard) {
		w.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":%s}}`, m.ID, quoted(m.text()))
	}},
	{20, "answers twice", func(w *wild, m *heard) {
		w.answer(m)
		w.answer(m)
		w.mu.Lock()
		w.last = m.ID
		w.mu.Unlock()
	}},
	{20, "answers under another spelling", func(w *wild, m *heard) { m.ID = append(m.ID, ".0"...); w.answer(m) }},
	{20, "answers with a result and an error", func(w *wild, m *heard) {
		w.say(`{"jsonrpc":"2.0","id":%s,"result":{"text":"wrong"},"error":{"code":1,"message":"wrong"}}`, m.ID)
		w.answer(m)
	}},
	{20, "answers in what is not UTF-8", func(w *wild, m *heard) { w.result(m, `{"text":`+quoted(m.text())+`,"x":"`+"\xff"+`"}`) }},
	{20, "answers in what is not JSON", func(w *wild, m *heard) { w.result(m, `{"text":`+quoted(m.text())+`,x}`) }},
	{20, "answers in a batch", func(w *wild, m *heard) {
		w.say(`[{"jsonrpc":"2.0","id":%s,"result":{"text":%s}},17]`, m.ID, quoted(m.text()))
	}},
	{20, "answers behind a byte order mark", func(w *wild, m *heard) { w.utter("\ufeff"); w.answer(m) }},
	{3, "answers at length", func(w *wild, m *heard) {
		w.result(m, `{"text":`+quoted(m.text())+`,"x":"`+strings.Repeat("x", w.calls.IntN(3<<20))+`"}`)
	}},
	{2, "does not answer", func(*wild, *heard) {}},
}

// deeds are what a child does of itself, several times a second.
var deeds = []habit[func(*wild)]{
	{30, "makes noise", func(w *wild) { w.utter(noises[w.whims.IntN(len(noises))]) }},
	{5, "answers nobody", func(w *wild) {
		w.mu.Lock()
		last := w.last
		w.mu.Unlock()
		for _, id := range []string{"-1", "null", `"x"`, "1e99", "123456789012345678901", string(last)} {
			w.say(`{"jsonrpc":"2.0","id":%s,"result":{"text":"wrong"}}`, id)
		}
	}},
	{2, "floods standard output", func(w *wild) {
		line := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + w.key + `"}}` + "\n"
		for range 10 + w.whims.IntN(20) {
			w.utter(strings.Repeat(line, 1000))
		}
	}},
	{3, "floods standard error", func(w *wild) {
		noise := []byte(strings.Repeat("noise\n", 1<<w.whims.IntN(14)))
		for range 100 {
			_, _ = os.Stderr.Write(noise)
		}
	}},
	{10, "asks", (*wild).ask},
	{10, "changes its tools", (*wild).changeTools},
	{10, "restarts its grandchildren", (*wild).restartLimpets},
	{5, "stops listening for a while", func(w *wild) {
		w.ear.Lock()
		defer w.ear.Unlock()
		time.Sleep(time.Duration(w.whims.IntN(1000)) * time.Millisecond)
	}},
	{2, "stops for a while", func(*wild) {
		wake := exec.Command("/bin/sh", "-c", fmt.Sprintf("sleep 0.3; kill -CONT %d", os.Getpid()))
		if err := wake.Start(); err == nil {
			raise(syscall.SIGSTOP)
			_ = wake.Wait()
		}
	}},
	{1, "stops for good", func(*wild) { raise(syscall.SIGSTOP) }},
	{1, "ends", func(*wild) { os.Exit(0) }},
	{1, "fails", func(*wild) { os.Exit(7) }},
	{1, "fails in the middle of a line", func(w *wild) { w.utter(`{"jsonrpc":"2.0","id":1,"resu`); os.Exit(1) }},
	{1, "is killed", func(*wild) { raise(syscall.SIGKILL) }},
	{1, "crashes", func(*wild) { raise(syscall.SIGSEGV) }},
	{1, "closes standard input", func(*wild) { _ = syscall.Close(0) }},
	{1, "closes standard output", func(*wild) { _ = syscall.Close(1) }},
	{1, "closes standard error", func(*wild) { _ = syscall.Close(2) }},
}

var noises = []string{
	"\n", "\r\n", "\ufeff\n", "Listening on stdio\n", "\x1b[31mred\x1b[0m\n", "a\x00b\n", "\xff\xfe\n", "[]\n", "{}\n", "17\n", `"x"` + "\n",
	`{"jsonrpc":"2.0"}` + "\n", `{"id":1}` + "\n", `{"jsonrpc":"2.0","id":{},"result":{}}` + "\n", `{"jsonrpc":"2.0","method":17}` + "\n",
	`{"jsonrpc":"2.0","id":1,"resu` + "\n", `{"jsonrpc":"2.0","method":"notifications/vendor"}` + "\r\n",
	strings.Repeat("x", 3<<20) + "\n", strings.Repeat("[", 1<<20) + "\n",
}

// lists are what the tools change between.
var lists = []string{
	usualTools, `[{"name":"echo"}]`, `[{"name":"other"}]`, `[]`, `[{"name":"echo"},{"name":"echo"}]`, `{}`,
	`[{"name":"\u001b[31mred"},{"name":"\u202eother"},17,{"name":""},{"name":"echo"}]`,
}

func (w *wild) changeTools() {
	w.mu.Lock()
	w.tools = lists[w.whims.IntN(len(lists))]
	w.mu.Unlock()
	w.utter(strings.Repeat(changed, 1<<w.whims.IntN(6)))
}

const changed = listChanged + "\n"

// ask asks the client something. The id tells the child and is the question.
func (w *wild) ask() {
	w.mu.Lock()
	w.asks++
	n := w.asks
	id := fmt.Sprint(w.key, " asks ", n)
	w.asked[id] = true
	w.mu.Unlock()
	method := []string{"sampling/createMessage", "roots/list", "elicitation/create", "vendor/ask"}[n%4]
	w.say(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"text":%s,"_meta":{"progressToken":1}}}`, quoted(id), method, quoted(id))
}

// restartLimpets kills one grandchild and starts another, which ignores SIGTERM
// and holds standard output and error open.
func (w *wild) restartLimpets() {
	if n := len(w.limpets); n > 2 {
		oldest := w.limpets[0]
		w.limpets = w.limpets[1:]
		_ = oldest.Kill()
		_, _ = oldest.Wait()
	}
	limpet := exec.Command("/bin/sh", "-c", `trap "" TERM; exec sleep 120`)
	limpet.Stdout, limpet.Stderr = os.Stdout, os.Stderr
	if err := limpet.Start(); err == nil {
		w.limpets = append(w.limpets, limpet.Process)
	}
}

func raise(s syscall.Signal) { _ = syscall.Kill(os.Getpid(), s) }
