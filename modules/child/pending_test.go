package child_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// ignoringReplier is a Replier that drops outcomes.
type ignoringReplier struct{ replies, failures atomic.Int32 }

func (y *ignoringReplier) Reply(*wire.Message) { y.replies.Add(1) }
func (y *ignoringReplier) Fail(*wire.Error)    { y.failures.Add(1) }

// orderRecorder is a Replier that records the order of failures.
type orderRecorder struct {
	name string
	in   *strings.Builder
}

func (n orderRecorder) Reply(*wire.Message) {}
func (n orderRecorder) Fail(e *wire.Error)  { n.in.WriteString(n.name + ":" + e.Message + " ") }

func TestFailAllFailsInOrderAndForEver(t *testing.T) {
	var calls child.PendingCalls
	var order strings.Builder
	for name := range strings.SplitSeq("abcdefghijkl", "") {
		if _, err := calls.Add(orderRecorder{name, &order}); err != nil {
			t.Fatal(err)
		}
	}
	calls.FailAll(&wire.Error{Message: "x"})
	if got, want := order.String(), "a:x b:x c:x d:x e:x f:x g:x h:x i:x j:x k:x l:x "; got != want {
		t.Errorf("failed %s, want %s", got, want)
	}
	if _, err := calls.Add(&ignoringReplier{}); err == nil || err.Message != "x" {
		t.Errorf("a later request gets %v", err)
	}
}

// A child need not answer canceled requests: those that stay pending are bounded, and
// the oldest is dropped first.
func TestCanceledRequestsAreBounded(t *testing.T) {
	var calls child.PendingCalls
	requests := make([]ignoringReplier, child.MaxCanceled+1)
	ids := make([]int64, len(requests))
	for i := range requests {
		ids[i], _ = calls.Add(&requests[i])
		if id, ok := calls.Cancel(func(r child.Replier) bool { return r == child.Replier(&requests[i]) }); !ok || id != ids[i] {
			t.Fatalf("cancelled %d, %t, want %d", id, ok, ids[i])
		}
	}
	if _, ok := calls.Remove(ids[0]); ok {
		t.Error("the oldest is kept")
	}
	if _, ok := calls.Remove(ids[1]); !ok {
		t.Error("the second is not pending")
	}
}

// The search for the call to cancel may block, for instance behind a client that takes no
// responses.
func TestASlowCancellationDelaysNoOtherCall(t *testing.T) {
	c := startManager(t, testutil.Spawner{"a": scripted}, child.Options{}, "a")
	c.initializeAll()
	open := c.callTool("a", "hang")
	looking, found := make(chan struct{}), make(chan struct{})
	cancelled := make(chan struct{})
	note := scanned(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	go func() { // ends below
		defer close(cancelled)
		c.Cancel(note, func(r child.Replier) bool {
			close(looking)
			<-found
			return r == child.Replier(open)
		})
	}()
	<-looking
	answered := make(chan string, 1)
	go func() { answered <- c.callTool("a", "x").await(t) }() // ends with the answer
	select {
	case got := <-answered:
		want(t, "answer", got, emptyResult)
	case <-time.After(time.Minute):
		t.Error("the other call waits for the cancellation")
	}
	close(found)
	<-cancelled
}

// Notifications that are sent while earlier ones are being released come after them, and
// Send does not wait.
func TestNotificationsKeepTheirOrderWhileTheyAreReleased(t *testing.T) {
	var e child.PendingNotifications
	var sent, all []string
	send := func() {
		line := fmt.Sprint(len(all))
		all = append(all, line)
		e.Send(line)
	}
	send()
	send()
	e.Release(func(line string) {
		if len(all) < 5 {
			send() // would deadlock if Release held its lock
		}
		sent = append(sent, line)
	})
	send()
	if !slices.Equal(sent, all) {
		t.Errorf("sent %q of %q", sent, all)
	}
}
