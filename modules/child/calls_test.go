package child_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
)

// tally is a Replier that counts.
type tally struct{ replies, failures atomic.Int32 }

func (y *tally) Reply(*wire.Message) { y.replies.Add(1) }
func (y *tally) Fail(*wire.Error)    { y.failures.Add(1) }

func TestEveryRequestHasOneOutcomeWhateverWins(t *testing.T) {
	for range 200 {
		const requests = 32
		var calls child.Calls
		outcomes := make([]tally, requests)
		var race sync.WaitGroup
		for i := range outcomes {
			race.Go(func() { // asks, and is answered twice
				id, err := calls.Add(&outcomes[i])
				if err != nil {
					outcomes[i].Fail(err)
					return
				}
				for range 2 {
					race.Go(func() {
						if r, ok := calls.Take(id); ok {
							r.Reply(nil)
						}
					})
				}
			})
		}
		race.Go(func() { calls.End(&wire.Error{Message: "gone"}) })
		race.Wait()
		for i := range outcomes {
			if got := outcomes[i].replies.Load() + outcomes[i].failures.Load(); got != 1 {
				t.Fatalf("request %d has %d outcomes", i, got)
			}
		}
	}
}

func TestRequestsHaveIdsOfTheirOwn(t *testing.T) {
	var calls child.Calls
	var one, two tally
	first, _ := calls.Add(&one)
	second, _ := calls.Add(&two)
	if first == second {
		t.Fatalf("both have the id %d", first)
	}
	if r, ok := calls.Take(second); !ok || r != child.Replier(&two) {
		t.Errorf("took %v, %t, want the second", r, ok)
	}
	if r, ok := calls.Take(second); ok {
		t.Errorf("took %v once more", r)
	}
	if r, ok := calls.Take(first + second); ok {
		t.Errorf("took %v, which nobody asked for", r)
	}
}

// noted is a Replier that writes down in which order it was failed.
type noted struct {
	name string
	in   *strings.Builder
}

func (n noted) Reply(*wire.Message) {}
func (n noted) Fail(e *wire.Error)  { n.in.WriteString(n.name + ":" + e.Message + " ") }

func TestTheEndAnswersInOrderAndForEver(t *testing.T) {
	var calls child.Calls
	var order strings.Builder
	for name := range strings.SplitSeq("abcdefghijkl", "") {
		if _, err := calls.Add(noted{name, &order}); err != nil {
			t.Fatal(err)
		}
	}
	calls.End(&wire.Error{Message: "x"})
	if got, want := order.String(), "a:x b:x c:x d:x e:x f:x g:x h:x i:x j:x k:x l:x "; got != want {
		t.Errorf("failed %s, want %s", got, want)
	}
	if _, err := calls.Add(&tally{}); err == nil || err.Message != "x" {
		t.Errorf("a later request gets %v", err)
	}
}

// A child need not answer what was cancelled: what waits for late answers is
// bounded, and the oldest goes first.
func TestCancelledRequestsAreNotKeptForEver(t *testing.T) {
	var calls child.Calls
	asked := make([]tally, child.MaxLate+1)
	ids := make([]int64, len(asked))
	for i := range asked {
		ids[i], _ = calls.Add(&asked[i])
		if id, ok := calls.Cancel(func(r child.Replier) bool { return r == child.Replier(&asked[i]) }); !ok || id != ids[i] {
			t.Fatalf("cancelled %d, %t, want %d", id, ok, ids[i])
		}
	}
	if _, ok := calls.Take(ids[0]); ok {
		t.Error("the oldest is kept")
	}
	if _, ok := calls.Take(ids[1]); !ok {
		t.Error("a late answer to the second finds nobody")
	}
}
