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
	"mcp-aggregator/modules/wire"
)

func TestACallWaitsForAServerThatIsBeingConnected(t *testing.T) {
	for name, query := range map[string]router.Query{
		"of a tool that is not known yet": {Name: "a.t"},
		"by the id of the server":         {Name: "t", Server: "id-a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse("a")
				h.is("a", servers.Connecting, "")
				done := h.calling(t.Context(), query, nil, request)
				time.Sleep(6 * time.Second)
				h.is("a", servers.Connecting, "nobody there")
				time.Sleep(3 * time.Second)
				s := h.connect("a", named("t", `{}`))
				synctest.Wait()
				time.Sleep(time.Minute) // it takes its time, once it is delivered
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
		h := newHouse("a")
		h.is("a", servers.Connecting, "")
		began := time.Now()
		done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		for range 4 {
			time.Sleep(3 * time.Second)
			h.is("a", servers.Connecting, "nobody there")
		}
		o := <-done
		e, ok := errors.AsType[*servers.UnavailableError](o.err)
		want := servers.UnavailableError{Server: "a", Status: servers.Connecting, Reason: "nobody there", Waited: 10 * time.Second}
		if took := time.Since(began); !ok || *e != want || took > 12*time.Second {
			t.Errorf("%v after %v", o.err, took)
		}
	})
}

func TestACallThatHasWaitedSaysWhatTheServiceGoesOnDoing(t *testing.T) {
	const waited = `server "a" is not connected: its status is CONNECTING: nobody there; the call waited 10s, and the service goes on connecting it: `
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
				h := newHouse("a")
				h.is("a", servers.Connecting, "")
				done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
				time.Sleep(3 * time.Second)
				h.move("a", &sessions.State{Status: servers.Connecting, Reason: "nobody there", Next: time.Now().Add(test.next)})
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
			h := newHouse("a")
			h.is("a", servers.Connecting, "")
			began := time.Now()
			done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
			time.Sleep(time.Second)
			h.is("a", status, "why")
			o := <-done
			e, ok := errors.AsType[*servers.UnavailableError](o.err)
			if !ok || *e != (servers.UnavailableError{Server: "a", Status: status, Reason: "why"}) || time.Since(began) != time.Second {
				t.Errorf("%v after %v", o.err, time.Since(began))
			}
		})
	}
}

func TestACallThatWasNotSentIsDeliveredLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse("a")
		first := h.connect("a", named("t", `{}`))
		done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		first.drop(t, true)
		time.Sleep(time.Second)
		h.is("a", servers.Connecting, "")
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
		h := newHouse("a")
		first := h.connect("a", named("t", `{}`))
		done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		first.drop(t, true)
		h.is("a", servers.Connecting, "it fell over")
		o := <-done
		if e, ok := errors.AsType[*servers.UnavailableError](o.err); !ok || e.Status != servers.Connecting {
			t.Errorf("%+v", o)
		}
	})
}

func TestACallThatWasSentIsMadeAgainOnlyIfThatDoesNoHarm(t *testing.T) {
	for name, test := range map[string]struct {
		definition string
		again      bool
	}{
		"nothing is said":                 {`{"name":"t"}`, false},
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
				h := newHouse("a")
				first := h.connect("a", test.definition)
				done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
				synctest.Wait()
				first.drop(t, false)
				h.is("a", servers.Connecting, "")
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

// It ends the server each time, and with it the calls of others.
func TestACallIsMadeAgainThreeTimesAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse("a")
		definition := named("t", `{"idempotentHint":true}`)
		live := h.connect("a", definition)
		done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		for range 4 {
			synctest.Wait()
			if live.count() != 1 {
				t.Fatalf("%d calls", live.count())
			}
			live.drop(t, false)
			h.is("a", servers.Connecting, "")
			live = h.connect("a", definition)
		}
		if o := <-done; !isLost(o.err) || live.count() != 0 {
			t.Errorf("%+v, %d calls", o, live.count())
		}
	})
}

func TestACallThatMayBeMadeAgainIsLostWhenTheServerStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse("a")
		first := h.connect("a", named("t", `{"idempotentHint":true}`))
		done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		first.drop(t, false)
		if o := <-done; !isLost(o.err) {
			t.Errorf("%+v", o)
		}
		done = h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		// The reason why it was lost is what matters, not that the server is away.
		h.is("a", servers.Errored, "it fell over")
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
				h := newHouse("a")
				s := h.connect("a", named("t", test.hints))
				done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
				for i := range test.calls {
					synctest.Wait()
					s.call(t, i).replier.Fail(&wire.Error{Message: "the connection broke", Unsent: test.unsent})
					time.Sleep(time.Second) // the session might have ended, too
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

func TestTimeAtAServerIsNoWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse("a")
		h.is("a", servers.Connecting, "")
		done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		time.Sleep(4 * time.Second)
		first := h.connect("a", named("t", `{"readOnlyHint":true}`))
		time.Sleep(time.Hour)
		first.drop(t, false)
		h.is("a", servers.Connecting, "")
		time.Sleep(4 * time.Second)
		second := h.connect("a", named("t", `{"readOnlyHint":true}`))
		time.Sleep(time.Hour)
		second.drop(t, false)
		h.is("a", servers.Connecting, "")
		began := time.Now()
		if o := <-done; !isLost(o.err) || time.Since(began) != 2*time.Second {
			t.Errorf("%+v after %v", o, time.Since(began))
		}
	})
}

func TestACallThatWasLostIsStillLostWhenTheSecondOneIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse("a")
		first := h.connect("a", named("t", `{"idempotentHint":true}`))
		done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		first.drop(t, false)
		second := h.connect("a", named("t", `{"idempotentHint":true}`))
		synctest.Wait()
		second.drop(t, true)
		if o := <-done; !isLost(o.err) {
			t.Errorf("%+v", o)
		}
	})
}

func TestTheFirstAnswerToACallCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse("a")
		s := h.connect("a", named("t", `{}`))
		done := h.calling(t.Context(), router.Query{Name: "a.t"}, nil, request)
		synctest.Wait()
		s.reply(t, 0, `{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}`)
		s.reply(t, 0, result) // twice
		if o := <-done; o.err != nil || string(o.answer.Response.Error.Of(o.answer.Response.Line)) != `{"code":-1,"message":"no"}` {
			t.Errorf("%+v", o)
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
		"by a client that says nothing":  {&router.CancelledError{}, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`},
		"for a reason that is another's": {errors.New("why not"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse("a")
				s := h.connect("a", named("t", `{}`))
				ctx, cancel := context.WithCancelCause(t.Context())
				done := h.calling(ctx, router.Query{Name: "a.t"}, nil, request)
				synctest.Wait()
				cancel(test.cause)
				if o := <-done; !errors.Is(o.err, context.Canceled) {
					t.Errorf("%+v", o)
				}
				if len(s.cancelled) != 1 || s.cancelled[0] != test.want {
					t.Errorf("%q", s.cancelled)
				}
				s.reply(t, 0, result) // all the same
			})
		})
	}
}

func TestACallIsCancelledWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse("a")
		h.is("a", servers.Connecting, "")
		ctx, cancel := context.WithCancel(t.Context())
		done := h.calling(ctx, router.Query{Name: "a.t"}, nil, request)
		time.Sleep(time.Second)
		cancel()
		if o := <-done; !errors.Is(o.err, context.Canceled) {
			t.Errorf("%+v", o)
		}
	})
}
