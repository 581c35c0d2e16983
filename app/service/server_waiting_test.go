package service_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

const asked, withToken = "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\nHost: a\nX-Token: x\n\n"

func TestConnectionsThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits()
		l.Waiting = 3
		release := make(chan struct{})
		p := serving(t, l, func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				<-release
			}
		})
		busy, owner := p.dial(), p.dial()
		busy.say(t, "GET /slow HTTP/1.1\nHost: a\nX-Token: x\n\n")
		owner.say(t, withToken)
		owner.answer(t)
		var silent []*peer
		for range 20 {
			silent = append(silent, p.dial())
			synctest.Wait()
		}
		for _, client := range silent[:18] {
			if took := client.ended(t); took != 0 {
				t.Errorf("one too many ends after %s", took)
			}
		}
		for _, client := range append(silent[18:], owner) { // the newest, and one that has shown the token
			client.say(t, asked)
			if response := client.answer(t); response.status != http.StatusOK {
				t.Errorf("the answer is %+v", response)
			}
		}
		close(release)
		if response := busy.answer(t); response.status != http.StatusOK {
			t.Errorf("a request with the token is answered with %+v", response)
		}
	})
}

// Connections that had the token are evicted only if there are no others.
func TestTheNewestConnectionStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits()
		l.Waiting = 2
		p := serving(t, l, func(http.ResponseWriter, *http.Request) {})
		var guests []*peer
		for range 4 {
			guest := p.dial()
			guest.say(t, withToken)
			guest.answer(t)
			guests = append(guests, guest)
			synctest.Wait()
		}
		time.Sleep(time.Second)
		for i, guest := range guests[:2] {
			if took := guest.ended(t); took != 0 {
				t.Errorf("%d ends after %s", i, took)
			}
		}
		guests[3].say(t, withToken)
		guests[3].answer(t)
	})
}
