package e2e_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"mcp-aggregator/testutil"
)

// requestLog records the requests of the chaos client and the responses to them.
type requestLog struct {
	mu       sync.Mutex
	calls    []request
	byID     map[string]int
	open     [chaosCallers][chaosChildren]int
	freed    [chaosCallers]chan struct{} // signaled by each response
	failures []string

	results, errors, others int
}

// request is one tools/call, or a tools/list if it has no child.
type request struct {
	caller, child int
	text          string // until it is answered
	open          bool   // it counts as in flight
	sent          bool
	mustAnswer    bool // the aggregator must respond to it
	cancelled     bool
	answers       int
	result        bool // the response was the child's result
}

func newRequestLog() *requestLog {
	l := &requestLog{byID: make(map[string]int)}
	for i := range l.freed {
		l.freed[i] = make(chan struct{}, 1)
	}
	return l
}

// rawID returns the id of request n, of several JSON types.
func rawID(n int) string {
	switch n % 3 {
	case 0:
		return strconv.Itoa(n)
	case 1:
		return fmt.Sprintf(`"call %d"`, n)
	}
	return fmt.Sprintf("9007199254%07d", n) // more digits than a float64 holds
}

// add records a call. It reports false if the caller has too many open calls at the
// child.
func (l *requestLog) add(caller, child int, text string) (n int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[caller][child] == chaosOpen {
		return 0, false
	}
	l.open[caller][child]++
	return l.append(request{caller: caller, child: child, text: fmt.Sprint(keyOf(child), " call ", len(l.calls), " ", text), open: true}), true
}

func (l *requestLog) addList() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(request{child: -1})
}

func (l *requestLog) append(c request) int {
	n := len(l.calls)
	l.calls = append(l.calls, c)
	l.byID[rawID(n)] = n
	return n
}

func (l *requestLog) text(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[n].text
}

func (l *requestLog) sent(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[n].sent = true
}

func (l *requestLog) cancel(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[n].cancelled = true
	l.free(&l.calls[n])
}

// free makes room for another call; l.mu is held.
func (l *requestLog) free(c *request) {
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

// requireAnswers records that everything sent so far must be answered.
func (l *requestLog) requireAnswers() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.calls {
		l.calls[n].mustAnswer = l.calls[n].sent && !l.calls[n].cancelled
	}
}

// missingResults describes the calls to well-behaved children that still lack a result.
func (l *requestLog) missingResults() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	served := make(map[int]int)
	for n, c := range l.calls {
		switch {
		case c.child < 0 || c.child >= chaosWellBehaved:
		case c.result:
			served[c.child]++
		case c.mustAnswer && !c.cancelled:
			return fmt.Sprintf("call %s to %s, which is well-behaved, has %d answers and no result", rawID(n), keyOf(c.child), c.answers)
		}
	}
	if len(served) < chaosWellBehaved {
		return fmt.Sprintf("only these well-behaved children have returned results: %v", served)
	}
	return ""
}

// unanswered describes the requests that must be answered and are not.
func (l *requestLog) unanswered() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []string
	for n, c := range l.calls {
		if c.mustAnswer && !c.cancelled && c.answers == 0 {
			open = append(open, fmt.Sprintf("%s to %s", rawID(n), keyOf(c.child)))
		}
	}
	if len(open) == 0 {
		return ""
	}
	return fmt.Sprintf("%d calls were never answered, such as %s", len(open), open[0])
}

// answer checks a response.
func (l *requestLog) answer(m *clientMessage, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.byID[string(m.ID)]
	if !ok {
		l.fail("a response to no request", line)
		return
	}
	c := &l.calls[n]
	if c.answers++; c.answers > 1 {
		l.fail("a second response", line)
		return
	}
	switch {
	case m.Error != nil:
		l.errors++
		if !c.failedBy(m.Error) {
			l.fail(fmt.Sprintf("an error of another request than %q", testutil.Shorten(c.text)), line)
		}
	case m.Result == nil:
		l.fail("a response without result and error", line)
	case c.child < 0:
		c.result = m.Result.Tools != nil
	default:
		l.results++
		c.result = m.Result.Text == c.text
	}
	if m.Error == nil && !c.result {
		l.fail(fmt.Sprintf("a result of another request than %q", testutil.Shorten(c.text)), line)
	}
	l.free(c)
	c.text = ""
}

// failedBy reports whether the request may have that error: one of the child repeats the
// text, one of the aggregator names the child.
func (c *request) failedBy(e *rpcError) bool {
	switch {
	case c.child < 0:
		return false
	case e.Code == 1:
		return e.Message == c.text
	}
	return strings.Contains(e.Message, keyOf(c.child)) || e.Message == "The aggregator is stopping"
}

// progress checks a notification of progress, which must precede the result.
func (l *requestLog) progress(token json.RawMessage, text string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.byID[string(token)]
	if !ok || l.calls[n].result || l.calls[n].answers == 0 && l.calls[n].text != text {
		l.fail("progress of another call", line)
	}
}

func (l *requestLog) other() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.others++
}

// unexpected records a line that must not occur.
func (l *requestLog) unexpected(what string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail(what, line)
}

func (l *requestLog) fail(what string, line []byte) {
	const most = 20
	if len(l.failures) < most {
		l.failures = append(l.failures, what+": "+testutil.Shorten(string(line)))
	}
}

func keyOf(child int) string {
	if child < 0 {
		return "the list"
	}
	return fmt.Sprintf("k%02d", child)
}
