package child_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
)

// tally is a Replier that counts.
type tally struct{ replies, failures atomic.Int32 }

func (y *tally) Reply(*wire.Message) { y.replies.Add(1) }
func (y *tally) Fail(*wire.Error)    { y.failures.Add(1) }

// noted is a Replier that writes down in which order it was failed.
type noted struct {
	name string
	in   *strings.Builder
}

func (n noted) Reply(*wire.Message) {}
func (n noted) Fail(e *wire.Error)  { n.in.WriteString(n.name + ":" + e.Message + " ") }

func TestTheEndAnswersInOrderAndForEver(t *testing.T) {
	var calls child.PendingCalls
	var order strings.Builder
	for name := range strings.SplitSeq("abcdefghijkl", "") {
		if _, err := calls.Add(noted{name, &order}); err != nil {
			t.Fatal(err)
		}
	}
	calls.FailAll(&wire.Error{Message: "x"})
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
	var calls child.PendingCalls
	asked := make([]tally, child.MaxCanceled+1)
	ids := make([]int64, len(asked))
	for i := range asked {
		ids[i], _ = calls.Add(&asked[i])
		if id, ok := calls.Cancel(func(r child.Replier) bool { return r == child.Replier(&asked[i]) }); !ok || id != ids[i] {
			t.Fatalf("cancelled %d, %t, want %d", id, ok, ids[i])
		}
	}
	if _, ok := calls.Remove(ids[0]); ok {
		t.Error("the oldest is kept")
	}
	if _, ok := calls.Remove(ids[1]); !ok {
		t.Error("a late answer to the second finds nobody")
	}
}
