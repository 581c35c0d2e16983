package simple_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

const (
	stressCalls    = 10_000
	stressChildren = 8
	stressOpen     = 200 // calls in flight
	stressProgress = 3   // notifications a call
)

// The kind of call number n: for sampled calls the child sends a sampling request before
// it responds; cancelled calls wait for the client to cancel them, and late ones are
// answered after that.
func sampled(n int) bool   { return n%5 == 0 }
func cancelled(n int) bool { return n%7 == 0 && !sampled(n) }
func late(n int) bool      { return cancelled(n) && n%2 == 0 }

func TestTenThousandCallsWithProgressCancellationAndSampling(t *testing.T) {
	children, keys := testutil.Spawner{}, []string{}
	for i := range stressChildren {
		key := fmt.Sprint("c", i)
		children[key], keys = newWorker().Run, append(keys, key)
	}
	a := start(t, children, keys...)
	a.Send("%s", hello)
	a.Next()
	a.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	a.tools()
	r := &reader{t: t, a: a, seen: make([]record, stressCalls), free: make(chan struct{}, stressOpen)}
	var reading sync.WaitGroup
	reading.Go(r.read)
	for n := range stressCalls {
		r.free <- struct{}{}
		a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"c%d:x","arguments":%d,"_meta":{"progressToken":%d}}}`, n, n%stressChildren, n, n)
	}
	reading.Wait()
	for n, seen := range r.seen {
		if answers := seen.answers; answers != 1 && !cancelled(n) || answers > 1 || late(n) && answers != 1 {
			t.Errorf("call %d has %d answers", n, answers)
		}
	}
}

// worker is the child. It identifies calls by the aggregator's ids.
type worker struct {
	sampling map[string]string // id of the call that waits for a sampling response, by the id of the request
	waiting  map[string]int    // number of the call that waits to be cancelled, by its id
}

func newWorker() testutil.Raw {
	w := &worker{sampling: make(map[string]string), waiting: make(map[string]int)}
	return testutil.Raw{Tools: `[{"name":"x"}]`, Handle: w.handle}
}

type workerLine struct {
	Method string
	Params struct {
		Arguments int
		RequestID json.RawMessage
	}
}

func (w *worker) handle(line, id string, out io.Writer) child.Exit {
	var m workerLine
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		return "exit status 3"
	}
	switch m.Method {
	case "tools/call":
		w.call(m.Params.Arguments, id, out)
	case "notifications/cancelled":
		w.cancel(string(m.Params.RequestID), out)
	case "": // a sampling response
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, w.sampling[id])
	}
	return ""
}

func (w *worker) call(n int, id string, out io.Writer) {
	for i := range stressProgress {
		testutil.Say(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d}}`, n, i)
	}
	switch {
	case sampled(n):
		w.sampling[fmt.Sprintf(`"q%d"`, n)] = id
		testutil.Say(out, `{"jsonrpc":"2.0","id":"q%d","method":"sampling/createMessage","params":{}}`, n)
	case cancelled(n):
		w.waiting[id] = n
	default:
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	}
}

func (w *worker) cancel(id string, out io.Writer) {
	if n, ok := w.waiting[id]; ok && late(n) {
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"late"}}`, id)
	}
}

// reader reads for the client: it checks the order of messages, responds to requests and
// cancels calls.
type reader struct {
	t    *testing.T
	a    *aggregator
	seen []record
	done int
	free chan struct{} // one for each call in flight
}

type record struct{ progress, answers int }

type clientLine struct {
	ID     json.RawMessage
	Method string
	Params struct{ ProgressToken, Progress int }
}

func (r *reader) read() {
	for r.done < stressCalls {
		line := r.a.Next()
		var m clientLine
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			r.t.Errorf("%v: %s", err, line)
			return
		}
		switch m.Method {
		case "notifications/progress":
			r.progress(m.Params.ProgressToken, m.Params.Progress)
		case "sampling/createMessage":
			r.a.Send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		case "":
			r.answer(strings.TrimSpace(string(m.ID)))
		default:
			r.t.Errorf("unexpected %s", line)
		}
	}
}

func (r *reader) progress(n, progress int) {
	seen := &r.seen[n]
	if progress != seen.progress || seen.answers != 0 {
		r.t.Errorf("call %d: progress %d after %d, with %d answers", n, progress, seen.progress, seen.answers)
	}
	if seen.progress++; seen.progress == stressProgress && cancelled(n) {
		r.a.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n)
		if !late(n) {
			r.finish()
		}
	}
}

func (r *reader) answer(id string) {
	var n int
	if _, err := fmt.Sscan(id, &n); err != nil {
		r.t.Errorf("answer to %s", id)
		return
	}
	r.seen[n].answers++
	if r.seen[n].progress != stressProgress {
		r.t.Errorf("call %d is answered after %d of its notifications", n, r.seen[n].progress)
	}
	r.finish()
}

func (r *reader) finish() {
	r.done++
	<-r.free
}
