package router_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

func TestACallThatWasNotSentIsDeliveredLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		first := h.connect("a", named("t", `{}`))
		done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		first.endSession(t, true)
		time.Sleep(time.Second)
		h.setStatus("a", servers.Connecting, "")
		time.Sleep(8 * time.Second)
		second := h.connect("a", named("t", `{}`))
		synctest.Wait()
		second.reply(t, 0, result)
		if o := <-done; o.err != nil || first.count() != 1 || second.count() != 1 {
			t.Errorf("%+v", o)
		}
	})
}

func TestACallThatWasNotSentIsNotDeliveredToAServerThatStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		first := h.connect("a", named("t", `{}`))
		done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		first.endSession(t, true)
		h.setStatus("a", servers.Connecting, "it crashed")
		o := <-done
		if e, ok := errors.AsType[*servers.UnavailableError](o.err); !ok || e.Status != servers.Connecting {
			t.Errorf("%+v", o)
		}
	})
}

func TestACallThatWasSentIsRetriedOnlyIfRepeatable(t *testing.T) {
	for name, test := range map[string]struct {
		definition string
		again      bool
	}{
		"no annotations":                  {`{"name":"t"}`, false},
		"it is idempotent":                {named("t", `{"idempotentHint":true}`), true},
		"it reads only":                   {named("t", `{"readOnly\u0048int":true,"idempotentHint":false}`), true},
		"it is not idempotent":            {named("t", `{"idempotentHint":false}`), false},
		"the hint is a text":              {named("t", `{"idempotentHint":"true"}`), false},
		"the hint is elsewhere":           {`{"name":"t","idempotentHint":true,"_meta":{"annotations":{"readOnlyHint":true}}}`, false},
		"the annotations are no object":   {named("t", `[true]`), false},
		"it does nothing that is harmful": {named("t", `{"destructiveHint":false}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness("a")
				first := h.connect("a", test.definition)
				done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
				synctest.Wait()
				first.endSession(t, false)
				h.setStatus("a", servers.Connecting, "")
				second := h.connect("a", test.definition)
				synctest.Wait()
				if !test.again {
					o := <-done
					e, ok := errors.AsType[*servers.LostError](o.err)
					if !ok || *e != (servers.LostError{Server: "a", Reason: "the session ended"}) || second.count() != 0 {
						t.Errorf("%+v", o)
					}
					return
				}
				second.reply(t, 0, result)
				if o := <-done; o.err != nil || second.count() != 1 {
					t.Errorf("%+v", o)
				}
			})
		})
	}
}

// The call makes its server exit each time, and so ends the calls of others.
func TestACallIsRetriedAtMostThreeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		definition := named("t", `{"idempotentHint":true}`)
		live := h.connect("a", definition)
		done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		for range 4 {
			synctest.Wait()
			if live.count() != 1 {
				t.Fatalf("%d calls", live.count())
			}
			live.endSession(t, false)
			h.setStatus("a", servers.Connecting, "")
			live = h.connect("a", definition)
		}
		if o := <-done; !isLost(o.err) || live.count() != 0 {
			t.Errorf("%+v, %d calls", o, live.count())
		}
	})
}

func TestARepeatableCallIsLostWhenTheServerStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		first := h.connect("a", named("t", `{"idempotentHint":true}`))
		done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		first.endSession(t, false)
		if o := <-done; !isLost(o.err) {
			t.Errorf("%+v", o)
		}
		done = h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		// The error says why the call was lost, not that the server is disconnected now.
		h.setStatus("a", servers.Errored, "it crashed")
		first.call(t, 1).replier.Fail(&wire.Error{Message: "the session ended"})
		if o := <-done; !isLost(o.err) {
			t.Errorf("%+v", o)
		}
	})
}

func isLost(err error) bool {
	_, ok := errors.AsType[*servers.LostError](err)
	return ok
}

func TestAFailureOfOneCallWhileTheSessionGoesOn(t *testing.T) {
	for name, test := range map[string]struct {
		hints        string
		unsent, lost bool
		calls        int
	}{
		"of what was not sent is not repeated":         {`{"idempotentHint":true}`, true, false, 1},
		"of what may do harm again is not repeated":    {`{}`, false, true, 1},
		"of what does no harm again is repeated, once": {`{"idempotentHint":true}`, false, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness("a")
				s := h.connect("a", named("t", test.hints))
				done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
				for i := range test.calls {
					synctest.Wait()
					s.call(t, i).replier.Fail(&wire.Error{Message: "the connection broke", Unsent: test.unsent})
					time.Sleep(time.Second) // longer than the grace for the session's end
				}
				if o := <-done; o.err == nil || isLost(o.err) != test.lost {
					t.Errorf("%+v", o)
				}
				if s.count() != test.calls {
					t.Errorf("%d calls", s.count())
				}
			})
		})
	}
}

func TestACallThatWasLostIsStillLostWhenTheSecondOneIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		first := h.connect("a", named("t", `{"idempotentHint":true}`))
		done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		first.endSession(t, false)
		second := h.connect("a", named("t", `{"idempotentHint":true}`))
		synctest.Wait()
		second.endSession(t, true)
		if o := <-done; !isLost(o.err) {
			t.Errorf("%+v", o)
		}
	})
}

func TestTheFirstAnswerToACallCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness("a")
		s := h.connect("a", named("t", `{}`))
		done := h.callAsync(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		s.reply(t, 0, `{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}`)
		s.reply(t, 0, result) // a second response
		if o := <-done; o.err != nil || string(o.answer.Response.Error.Of(o.answer.Response.Line)) != `{"code":-1,"message":"no"}` {
			t.Errorf("%+v", o)
		}
	})
}
