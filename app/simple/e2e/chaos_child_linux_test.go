package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// wild is a child of the chaos test. What it does is in the tables greetings,
// manners and deeds; a tame one only answers.
type wild struct {
	key   string
	tame  bool
	calls *rand.Rand // of the goroutine that reads
	whims *rand.Rand // of the goroutine that does deeds

	mouth sync.Mutex // one line at a time
	ear   sync.Mutex // held while it does not listen

	mu    sync.Mutex
	tools string
	asks  int
	asked map[string]bool // the questions that the client has not answered
	last  json.RawMessage // the id of a call that has been answered

	limpets []*os.Process // of the goroutine that does deeds
}

// habit is one thing that a child may do; the weight says how often.
type habit[F any] struct {
	weight int
	name   string
	do     F
}

func pick[F any](dice *rand.Rand, habits []habit[F]) habit[F] {
	total := 0
	for _, h := range habits {
		total += h.weight
	}
	n := dice.IntN(total)
	for _, h := range habits {
		if n -= h.weight; n < 0 {
			return h
		}
	}
	panic("unreachable")
}

// temperament is what newWild makes a child of.
type temperament struct {
	key          string
	tame         bool
	seed         uint64
	round, child int
}

func (p temperament) act() string {
	return fmt.Sprint("chaos ", p.key, " ", p.tame, " ", p.seed, " ", p.round, " ", p.child)
}

func newWild(act string) *wild {
	var p temperament
	if _, err := fmt.Sscan(act, &p.key, &p.tame, &p.seed, &p.round, &p.child); err != nil {
		panic(err)
	}
	stream := uint64(p.round)<<32 | uint64(p.child)<<1
	return &wild{
		key: p.key, tame: p.tame, tools: usualTools, asked: make(map[string]bool),
		calls: rand.New(rand.NewPCG(p.seed, stream)), whims: rand.New(rand.NewPCG(p.seed, stream|1)),
	}
}

// live is the main function.
func (w *wild) live() int {
	lastWords := 0
	greet := (*wild).greet
	if !w.tame {
		greet = pick(w.calls, greetings).do
		if w.calls.IntN(3) == 0 {
			signal.Ignore(syscall.SIGTERM)
		}
		lastWords = w.calls.IntN(3)
		go w.rampage()
	}
	lines := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		w.ear.Lock()
		w.ear.Unlock() //nolint:staticcheck // it only waits
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		w.hear(line, greet)
	}
	switch lastWords {
	case 0:
		return 0
	case 1:
		return 7
	}
	select {} // the end of its input is nothing to it
}

// rampage does deeds for as long as the child lives.
func (w *wild) rampage() {
	for {
		time.Sleep(time.Duration(20+w.whims.IntN(280)) * time.Millisecond)
		deed := pick(w.whims, deeds)
		fmt.Fprintln(os.Stderr, deed.name)
		deed.do(w)
	}
}

func (w *wild) hear(line []byte, greet func(*wild, *heard)) {
	var m heard
	if err := json.Unmarshal(line, &m); err != nil {
		w.complain("a line that is not JSON-RPC", string(line))
		return
	}
	switch m.Method {
	case "initialize":
		greet(w, &m)
	case "tools/list":
		w.list(&m)
	case "tools/call":
		w.serve(&m)
	case "":
		w.answered(&m)
	}
}

func (w *wild) greet(m *heard) { w.result(m, usualInitialize) }

const usualTools = `[{"name":"echo"},{"name":"other"}]`

func (w *wild) list(m *heard) {
	w.mu.Lock()
	tools := w.tools
	w.mu.Unlock()
	w.result(m, `{"tools":`+tools+`}`)
}

// serve deals with one call, which must be one for this child.
func (w *wild) serve(m *heard) {
	if !strings.HasPrefix(m.text(), w.key+" ") {
		w.complain("a call for someone else", m.text())
	}
	if w.tame {
		w.answer(m)
		return
	}
	pick(w.calls, manners).do(w, m)
}

func (m *heard) text() string {
	var s said
	_ = json.Unmarshal(m.Params.Arguments, &s) // the caller sees an empty text
	return s.Text
}

// answered takes the client's answer to a question; the text of a question is
// its id.
func (w *wild) answered(m *heard) {
	var id string
	_ = json.Unmarshal(m.ID, &id) // an id that is not ours is in no map
	w.mu.Lock()
	open := w.asked[id]
	delete(w.asked, id)
	w.mu.Unlock()
	if !open || m.Result != nil && m.Result.Text != id {
		w.complain("an answer that answers nothing", fmt.Sprintf("%s %v", m.ID, m.Result))
	}
}

// complain tells the client, which fails the test.
func (w *wild) complain(of, text string) {
	w.say(`{"jsonrpc":"2.0","method":"notifications/wrong","params":{"text":%s}}`, quoted(w.key+" got "+of+": "+shorten(text)))
}

func (w *wild) result(m *heard, result string) {
	w.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (w *wild) answer(m *heard) { w.result(m, `{"text":`+quoted(m.text())+`}`) }

func (w *wild) say(format string, args ...any) { w.utter(fmt.Sprintf(format+"\n", args...)) }

// utter writes text as it is. Who writes to a client that is gone dies of it.
func (w *wild) utter(text string) {
	w.mouth.Lock()
	defer w.mouth.Unlock()
	_, _ = os.Stdout.WriteString(text)
}

func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}
