package store_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/store"
)

func mustClaim(t *testing.T, s *store.Store, id string) servers.Claim {
	t.Helper()
	claim, granted, err := s.Claim(t.Context(), id)
	if err != nil || !granted {
		t.Fatalf("got %t, %v", granted, err)
	}
	return claim
}

func mustBeRefused(t *testing.T, s *store.Store, id string) {
	t.Helper()
	if claim, granted, err := s.Claim(t.Context(), id); err != nil || granted || claim != nil {
		t.Fatalf("got %v, %t, %v", claim, granted, err)
	}
}

// awaitClaim waits until the claim is granted: the database may notice later than the
// replica that it is lost.
func awaitClaim(t *testing.T, s *store.Store, id string) servers.Claim {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if claim, granted, err := s.Claim(t.Context(), id); err == nil && granted {
			return claim
		}
	}
	t.Fatal("the claim was not to be had")
	return nil
}

func isLost(claim servers.Claim) bool {
	select {
	case <-claim.Lost():
		return true
	default:
		return false
	}
}

func TestOneReplicaClaimsAServer(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	id := uuid.NewString()
	claim := mustClaim(t, here, id)
	mustBeRefused(t, there, id)
	mustClaim(t, there, uuid.NewString())
	claim.Release()
	claim.Release() // a second release has no effect
	other := mustClaim(t, there, id)
	mustBeRefused(t, here, id)
	if isLost(claim) || isLost(other) {
		t.Error("nothing was lost")
	}
}

func TestAReplicaMayClaimTwice(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	id := uuid.NewString()
	first, second := mustClaim(t, here, id), mustClaim(t, here, id)
	first.Release()
	mustBeRefused(t, there, id)
	second.Release()
	mustClaim(t, there, id)
}

func TestOneOfThreeGetsEachServer(t *testing.T) {
	url := postgres.Database(t)
	ids := make([]string, 20)
	for i := range ids {
		ids[i] = uuid.NewString()
	}
	var granted atomic.Int64
	var group sync.WaitGroup
	for range 3 {
		s := open(t, url)
		for _, id := range ids {
			group.Go(func() {
				if _, ok, err := s.Claim(t.Context(), id); err != nil {
					t.Error(err)
				} else if ok {
					granted.Add(1)
				}
			})
		}
	}
	group.Wait()
	if granted.Load() != int64(len(ids)) {
		t.Errorf("%d rights for %d servers", granted.Load(), len(ids))
	}
}

func TestAClaimIsLostWithTheConnection(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	ids := []string{uuid.NewString(), uuid.NewString()}
	rights := []servers.Claim{mustClaim(t, here, ids[0]), mustClaim(t, here, ids[1])}
	begun := time.Now()
	terminateConns(t, url, "mcp-aggregator claims")
	for i, claim := range rights {
		awaitSignal(t, claim.Lost(), "a loss")
		claim.Release() // has no effect
		awaitClaim(t, there, ids[i])
	}
	t.Logf("it was noticed and taken over after %v", time.Since(begun))
	mustClaim(t, here, uuid.NewString())
}

func TestAClaimOnABrokenConnectionIsMadeOnANewOne(t *testing.T) {
	url := postgres.Database(t)
	s := open(t, url)
	for range 3 {
		claim := mustClaim(t, s, uuid.NewString())
		terminateConns(t, url, "mcp-aggregator claims")
		mustClaim(t, s, uuid.NewString())
		awaitSignal(t, claim.Lost(), "a loss")
	}
}

func TestStoppingAReplicaReleasesItsClaims(t *testing.T) {
	url := postgres.Database(t)
	there := open(t, url)
	here, err := store.Open(t.Context(), url, quiet())
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.NewString()
	claim := mustClaim(t, here, id)
	if err := here.Close(); err != nil {
		t.Error(err)
	}
	if !isLost(claim) {
		t.Error("the claim is lost and Lost is not closed")
	}
	claim.Release()
	awaitClaim(t, there, id)
	if _, granted, err := here.Claim(t.Context(), id); granted || err == nil {
		t.Errorf("after the end: %t, %v", granted, err)
	}
}

func TestACancelledClaimKeepsOtherClaims(t *testing.T) {
	s := open(t, postgres.Database(t))
	claim := mustClaim(t, s, uuid.NewString())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		// The cancellation may come before or after the query.
		if _, granted, err := s.Claim(ctx, uuid.NewString()); !granted && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if isLost(claim) {
		t.Error("the other claim is lost")
	}
}

// The process of the replica that lost the claim is killed before another one starts.
func TestALostClaimIsGrantedOnceTheProcessHasBeenKilled(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	for range 2 {
		id := uuid.NewString()
		claim := mustClaim(t, here, id)
		noticed := make(chan time.Time, 1)
		go func() {
			<-claim.Lost()
			noticed <- time.Now()
		}()
		terminateConns(t, url, "mcp-aggregator claims")
		next := awaitClaim(t, there, id)
		granted := time.Now()
		if margin := granted.Sub(<-noticed); margin < store.KillTime {
			t.Errorf("it had %v to kill its process", margin)
		}
		next.Release()
		mustClaim(t, here, id).Release() // it was released in order
	}
}

func TestAClaimOfAReplicaThatCrashedIsGrantedAfterTheFence(t *testing.T) {
	url := postgres.Database(t)
	there := open(t, url)
	gone, err := store.Open(t.Context(), url, quiet())
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.NewString()
	mustClaim(t, gone, id)
	ended := time.Now()
	if err := gone.Close(); err != nil { // without a release, as if it were killed
		t.Error(err)
	}
	awaitClaim(t, there, id)
	if took := time.Since(ended); took < store.FenceTime {
		t.Errorf("it was taken after %v", took)
	}
}

// leaseCount counts the claims that were not released in order.
func leaseCount(t *testing.T, url string) (n int) {
	t.Helper()
	if err := database(t, url).QueryRowContext(t.Context(), "SELECT count(*) FROM server_leases").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAnOrderlyReleaseDeletesTheLease(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	id := uuid.NewString()
	first, second := mustClaim(t, here, id), mustClaim(t, here, id)
	first.Release()
	if n := leaseCount(t, url); n != 1 {
		t.Errorf("%d are held while it runs", n)
	}
	second.Release()
	if n := leaseCount(t, url); n != 0 {
		t.Errorf("%d are held after its end", n)
	}
	mustClaim(t, there, id)
	if n := leaseCount(t, url); n != 1 {
		t.Errorf("%d are held while it runs elsewhere", n)
	}
}

func TestACancelledClaimLeavesTheFence(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	id := uuid.NewString()
	mustClaim(t, here, id)
	pause := time.Now()
	terminateConns(t, url, "mcp-aggregator claims")
	ctx, cancel := context.WithTimeout(t.Context(), store.FenceTime/4)
	defer cancel()
	for ctx.Err() == nil {
		if _, granted, err := there.Claim(ctx, id); granted {
			t.Fatalf("it was granted after %v: %v", time.Since(pause), err)
		}
	}
	given := time.Now()
	awaitClaim(t, there, id)
	if took := time.Since(given); took < store.FenceTime {
		t.Errorf("it was taken after %v", took)
	}
}
