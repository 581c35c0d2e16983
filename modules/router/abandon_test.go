package router_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
)

func TestCallsEndWhenTheServiceStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse("a", "b")
		s := h.connect("a", named("t", `{"idempotentHint":true}`))
		h.is("b", servers.Connecting, "")
		sent := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		waiting := h.calling(t.Context(), router.Query{Name: "b.t"}, nil, request)
		synctest.Wait()
		h.EndCalls()
		if e, lost := errors.AsType[*servers.LostError]((<-sent).err); !lost || e.Server != "a" {
			t.Errorf("one that was sent ends with %v", e)
		}
		if o := <-waiting; !errors.Is(o.err, servers.ErrStopping) {
			t.Errorf("one that waits ends with %v", o.err)
		}
		if o := <-h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request); !errors.Is(o.err, servers.ErrStopping) {
			t.Errorf("one that comes later ends with %v", o.err)
		}
		if s.count() != 1 || len(s.cancelled) != 1 {
			t.Errorf("the server had %d calls, and heard of the end: %v", s.count(), s.cancelled)
		}
	})
}
