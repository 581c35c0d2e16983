package app_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// ledger is what the client of the chaos test has asked and been answered.
type ledger struct {
	mu     sync.Mutex
	calls  []charge
	byID   map[string]int
	open   [chaosCallers][chaosChildren]int
	freed  [chaosCallers]chan struct{} // an answer has come
	faults []string

	results, errors, others int
}

// charge is one call, or a list when it has no child.
type charge struct {
	caller, child int
	text          string // until it is answered
	open          bool   // it counts as in flight
	sent          bool
	owed          bool // it has to be answered
	cancelled     bool
	answers       int
	result        bool // its answer was the child's
}

func newLedger() *ledger {
	l := &ledger{byID: make(map[string]int)}
	for i := range l.freed {
		l.freed[i] = make(chan struct{}, 1)
	}
	return l
}

// rawID is the id of request n, of several kinds.
func rawID(n int) string {
	switch n % 3 {
	case 0:
		return strconv.Itoa(n)
	case 1:
		return fmt.Sprintf(`"call %d"`, n)
	}
	return fmt.Sprintf("9007199254%07d", n) // more than a float64 can tell apart
}

// add files a call; false when too many of the caller are open at the child.
func (l *ledger) add(caller, child int, text string) (n int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[caller][child] == chaosOpen {
		return 0, false
	}
	l.open[caller][child]++
	return l.file(charge{caller: caller, child: child, text: fmt.Sprint(keyOf(child), " hears ", len(l.calls), " ", text), open: true}), true
}

func (l *ledger) addList() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file(charge{child: -1})
}

func (l *ledger) file(c charge) int {
	n := len(l.calls)
	l.calls = append(l.calls, c)
	l.byID[rawID(n)] = n
	return n
}

func (l *ledger) text(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[n].text
}

func (l *ledger) sent(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[n].sent = true
}

func (l *ledger) cancel(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[n].cancelled = true
	l.free(&l.calls[n])
}

// free makes room for another call; the lock is held.
func (l *ledger) free(c *charge) {
	if !c.open {
		return
	}
	c.open = false
	l.open[c.caller][c.child]--
	select {
	case l.freed[c.caller] <- struct{}{}:
	default:
	}
}

// oblige takes note that whatever has been sent has to be answered.
func (l *ledger) oblige() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.calls {
		l.calls[n].owed = l.calls[n].sent && !l.calls[n].cancelled
	}
}

// unserved tells of the calls to tame children that are owed a result.
func (l *ledger) unserved() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	served := make(map[int]int)
	for n, c := range l.calls {
		switch {
		case c.child < 0 || c.child >= chaosTame:
		case c.result:
			served[c.child]++
		case c.owed && !c.cancelled:
			return fmt.Sprintf("call %s to %s, which behaves, has %d answers and no result", rawID(n), keyOf(c.child), c.answers)
		}
	}
	if len(served) < chaosTame {
		return fmt.Sprintf("only these children that behave have served: %v", served)
	}
	return ""
}

// unanswered tells of what is owed an answer and has none.
func (l *ledger) unanswered() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []string
	for n, c := range l.calls {
		if c.owed && !c.cancelled && c.answers == 0 {
			open = append(open, fmt.Sprintf("%s to %s", rawID(n), keyOf(c.child)))
		}
	}
	if len(open) == 0 {
		return ""
	}
	return fmt.Sprintf("%d calls were never answered, such as %s", len(open), open[0])
}

// answer judges an answer that the client hears.
func (l *ledger) answer(m *told, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.byID[string(m.ID)]
	if !ok {
		l.fault("an answer to nobody", line)
		return
	}
	c := &l.calls[n]
	if c.answers++; c.answers > 1 {
		l.fault("a second answer", line)
		return
	}
	switch {
	case m.Error != nil:
		l.errors++
		if !c.failedBy(m.Error) {
			l.fault(fmt.Sprintf("an error that is not for %q", shorten(c.text)), line)
		}
	case m.Result == nil:
		l.fault("an answer without result and error", line)
	case c.child < 0:
		c.result = m.Result.Tools != nil
	default:
		l.results++
		c.result = m.Result.Text == c.text
	}
	if m.Error == nil && !c.result {
		l.fault(fmt.Sprintf("a result that is not for %q", shorten(c.text)), line)
	}
	l.free(c)
	c.text = ""
}

// failedBy reports whether that error can be the answer: the child's own says
// what was asked, one of ours names the child.
func (c *charge) failedBy(e *problem) bool {
	switch {
	case c.child < 0:
		return false
	case e.Code == 1:
		return e.Message == c.text
	}
	return strings.Contains(e.Message, keyOf(c.child)) || e.Message == "The aggregator is stopping"
}

// progress judges a notification of progress, which comes before the result.
func (l *ledger) progress(token json.RawMessage, text string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.byID[string(token)]
	if !ok || l.calls[n].result || l.calls[n].answers == 0 && l.calls[n].text != text {
		l.fault("progress that is not for its call", line)
	}
}

func (l *ledger) other() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.others++
}

// wrong files what must not happen.
func (l *ledger) wrong(what string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault(what, line)
}

func (l *ledger) fault(what string, line []byte) {
	const most = 20
	if len(l.faults) < most {
		l.faults = append(l.faults, what+": "+shorten(string(line)))
	}
}

func keyOf(child int) string {
	if child < 0 {
		return "the list"
	}
	return fmt.Sprintf("k%02d", child)
}
