package child_test

import (
	"fmt"
	"slices"
	"testing"

	"mcp-aggregator/modules/child"
)

// What is told while earlier notifications are still being sent comes after them,
// and nobody who tells waits for the sending.
func TestNotificationsKeepTheirOrderWhileAChildIsIntroduced(t *testing.T) {
	var e child.PendingNotifications
	var sent, all []string
	tell := func() {
		line := fmt.Sprint(len(all))
		all = append(all, line)
		e.Send(line)
	}
	tell()
	tell()
	e.Release(func(line string) {
		if len(all) < 5 {
			tell() // would wait for ever for the lock of the sender
		}
		sent = append(sent, line)
	})
	tell()
	if !slices.Equal(sent, all) {
		t.Errorf("sent %q of %q", sent, all)
	}
}
