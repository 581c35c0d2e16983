package mcpclient_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/wire"
)

func TestEveryRequestIsRemovedOnceWhateverTheOrder(t *testing.T) {
	for range 200 {
		const requests = 32
		var pending mcpclient.Pending[int]
		var outcomes [requests]atomic.Int32
		var all sync.WaitGroup
		for i := range requests {
			all.Go(func() {
				id, refusal := pending.Add(i)
				if refusal != nil {
					outcomes[i].Add(1)
					return
				}
				for range 2 { // two answers
					all.Go(func() {
						if r, ok := pending.Remove(id); ok {
							outcomes[r].Add(1)
						}
					})
				}
			})
		}
		all.Go(func() {
			for _, r := range pending.Close(&wire.Error{Message: "closed"}) {
				outcomes[r].Add(1)
			}
		})
		all.Wait()
		for i := range outcomes {
			if got := outcomes[i].Load(); got != 1 {
				t.Fatalf("request %d has %d outcomes", i, got)
			}
		}
	}
}

func TestRequestsAreFoundByTheirIds(t *testing.T) {
	for name, test := range map[string]struct {
		raw  string
		want string
	}{
		"as it was sent":          {"8", "second"},
		"with a point":            {"8.0", "second"},
		"with an exponent":        {"8e0", "second"},
		"another request":         {"7", "first"},
		"nothing pending":         {"9", ""},
		"a string":                {`"8"`, ""},
		"a fraction":              {"8.5", ""},
		"null":                    {"null", ""},
		"a number beyond 64 bits": {"800000000000000000000", ""},
		"no id":                   {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			pending := mcpclient.NewPending[string](7)
			for _, r := range []string{"first", "second"} {
				if _, refusal := pending.Add(r); refusal != nil {
					t.Fatal(refusal)
				}
			}
			if got, ok := pending.RemoveRaw([]byte(test.raw)); got != test.want || ok != (test.want != "") {
				t.Errorf("got %q, %t; want %q", got, ok, test.want)
			}
			if got, ok := pending.RemoveRaw([]byte(test.raw)); ok {
				t.Errorf("got %q a second time", got)
			}
		})
	}
}

func TestPendingRefusesBeforeItIsClosed(t *testing.T) {
	var pending mcpclient.Pending[string]
	for _, r := range []string{"a", "b", "c"} {
		if _, refusal := pending.Add(r); refusal != nil {
			t.Fatal(refusal)
		}
	}
	if !pending.Has(2) || pending.Has(4) || len(pending.Snapshot()) != 3 || pending.Refuses() {
		t.Errorf("pending: %v, refuses: %t", pending.Snapshot(), pending.Refuses())
	}
	pending.Refuse(&wire.Error{Message: "ending"})
	if _, refusal := pending.Add("d"); refusal == nil || refusal.Message != "ending" || !pending.Refuses() {
		t.Errorf("a request after Refuse gets %v", refusal)
	}
	if r, ok := pending.Remove(2); r != "b" || !ok {
		t.Errorf("after Refuse, request 2 is %q, %t", r, ok)
	}
	if got := pending.Close(&wire.Error{Message: "closed"}); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("Close returned %q, want the others in order", got)
	}
	if _, refusal := pending.Add("e"); refusal == nil || refusal.Message != "closed" || pending.Has(1) {
		t.Errorf("a request after Close gets %v", refusal)
	}
}
