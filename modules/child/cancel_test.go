package child_test

import (
	"testing"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// Whoever looks for the call to cancel may be held up, as by a client that takes
// no answers.
func TestACancellationThatTakesItsTimeKeepsNoOtherCallWaiting(t *testing.T) {
	c := muster(t, testutil.Spawner{"a": obeys}, child.Options{}, "a")
	c.greet()
	open := c.ask("a", "hang")
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
	go func() { answered <- c.ask("a", "x").await(t) }() // ends with the answer
	select {
	case got := <-answered:
		want(t, "answer", got, done)
	case <-time.After(time.Minute):
		t.Error("the other call waits for the cancellation")
	}
	close(found)
	<-cancelled
}
