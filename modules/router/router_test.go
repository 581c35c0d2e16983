package router_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

func TestACallWaitsForAServerThatIsBeingConnected(t *testing.T) {
	for name, query := range map[string]router.Query{
		"of a tool that is not known yet": {Name: "a.t"},
		"by the id of the server":         {Name: "t", Server: "id-a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness("a")
				h.setStatus("a", servers.Connecting, "")
				done := h.callAsync(t.Context(), query, nil, request)
				time.Sleep(6 * time.Second)
				h.setStatus("a", servers.Connecting, "connection refused")
				time.Sleep(3 * time.Second)
				s := h.connect("a", named("t", `{}`))
				synctest.Wait()
				time.Sleep(time.Minute) // the response takes longer than a call may wait
				s.reply(t, 0, result)
				if o := <-done; o.err != nil || o.answer.Routing != 9*time.Second || o.answer.Execution != time.Minute {
					t.Errorf("%+v", o)
				}
			})
		})
	}
}

func TestACallWaitsNoLongerThanTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		h.setStatus("a", servers.Connecting, "")
		began := time.Now()
		done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		for range 4 {
			time.Sleep(3 * time.Second)
			h.setStatus("a", servers.Connecting, "connection refused")
		}
		o := <-done
		e, ok := errors.AsType[*servers.UnavailableError](o.err)
		want := servers.UnavailableError{Server: "a", Status: servers.Connecting, Reason: "connection refused", Waited: 10 * time.Second}
		if took := time.Since(began); !ok || *e != want || took > 12*time.Second {
			t.Errorf("%v after %v", o.err, took)
		}
	})
}

func TestTheErrorOfACallThatHasWaitedSaysWhatHappensNext(t *testing.T) {
	const waited = `server "a" is not connected: its status is CONNECTING: connection refused; the call waited 10s, and the service goes on connecting it: `
	for name, test := range map[string]struct {
		next time.Duration // from the last state on, which is the third second
		want string
	}{
		"the next attempt":               {20 * time.Second, waited + "the next attempt is in 13s"},
		"an attempt right now":           {0, waited + "an attempt is under way"},
		"an attempt that has just begun": {time.Second, waited + "an attempt is under way"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness("a")
				h.setStatus("a", servers.Connecting, "")
				done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
				time.Sleep(3 * time.Second)
				h.setState("a", &sessions.State{Status: servers.Connecting, Reason: "connection refused", Next: time.Now().Add(test.next)})
				if o := <-done; o.err == nil || o.err.Error() != test.want {
					t.Errorf("%v", o.err)
				}
			})
		})
	}
}

func TestACallDoesNotWaitForAServerThatNobodyConnects(t *testing.T) {
	for _, status := range []servers.Status{servers.Disconnected, servers.Errored} {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness("a")
			h.setStatus("a", servers.Connecting, "")
			began := time.Now()
			done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
			time.Sleep(time.Second)
			h.setStatus("a", status, "why")
			o := <-done
			e, ok := errors.AsType[*servers.UnavailableError](o.err)
			if !ok || *e != (servers.UnavailableError{Server: "a", Status: status, Reason: "why"}) || time.Since(began) != time.Second {
				t.Errorf("%v after %v", o.err, time.Since(began))
			}
		})
	}
}

func TestTheWaitBudgetDoesNotCountTimeAtAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		h.setStatus("a", servers.Connecting, "")
		done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		time.Sleep(4 * time.Second)
		first := h.connect("a", named("t", `{"readOnlyHint":true}`))
		time.Sleep(time.Hour)
		first.endSession(t, false)
		h.setStatus("a", servers.Connecting, "")
		time.Sleep(4 * time.Second)
		second := h.connect("a", named("t", `{"readOnlyHint":true}`))
		time.Sleep(time.Hour)
		second.endSession(t, false)
		h.setStatus("a", servers.Connecting, "")
		began := time.Now()
		if o := <-done; !isLost(o.err) || time.Since(began) != 2*time.Second {
			t.Errorf("%+v after %v", o, time.Since(began))
		}
	})
}

func TestACallIsCancelled(t *testing.T) {
	note := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c","reason":"\u0062ored"}}`
	for name, test := range map[string]struct {
		cause error
		want  string
	}{
		"by the client":                  {&router.CancelledError{Note: message(note)}, note},
		"by one who says no more":        {nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`},
		"without a notification":         {&router.CancelledError{}, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`},
		"for a reason that is another's": {errors.New("why not"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness("a")
				s := h.connect("a", named("t", `{}`))
				ctx, cancel := context.WithCancelCause(t.Context())
				done := h.callAsync(ctx, router.Query{Name: "a.t"}, nil, request)
				synctest.Wait()
				cancel(test.cause)
				if o := <-done; !errors.Is(o.err, context.Canceled) {
					t.Errorf("%+v", o)
				}
				if len(s.cancelled) != 1 || s.cancelled[0] != test.want {
					t.Errorf("%q", s.cancelled)
				}
				s.reply(t, 0, result) // in spite of the cancellation
			})
		})
	}
}

func TestACallIsCancelledWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		h.setStatus("a", servers.Connecting, "")
		ctx, cancel := context.WithCancel(t.Context())
		done := h.callAsync(ctx, router.Query{Name: "a.t"}, nil, request)
		time.Sleep(time.Second)
		cancel()
		if o := <-done; !errors.Is(o.err, context.Canceled) {
			t.Errorf("%+v", o)
		}
	})
}

func TestCallsEndWhenTheServiceStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a", "b")
		s := h.connect("a", named("t", `{"idempotentHint":true}`))
		h.setStatus("b", servers.Connecting, "")
		sent := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		waiting := h.callAsync(t.Context(), router.Query{Name: "b.t"}, nil, request)
		synctest.Wait()
		h.EndCalls()
		if e, lost := errors.AsType[*servers.LostError]((<-sent).err); !lost || e.Server != "a" {
			t.Errorf("one that was sent ends with %v", e)
		}
		if o := <-waiting; !errors.Is(o.err, servers.ErrStopping) {
			t.Errorf("one that waits ends with %v", o.err)
		}
		if o := <-h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request); !errors.Is(o.err, servers.ErrStopping) {
			t.Errorf("one that comes later ends with %v", o.err)
		}
		if s.count() != 1 || len(s.cancelled) != 1 {
			t.Errorf("the server had %d calls, and these cancellations: %v", s.count(), s.cancelled)
		}
	})
}
