package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"mcp-aggregator/modules/store"
)

// The process of the one who lost the right is killed before another one is started.
func TestWhoTakesALostRightWaitsUntilTheLoserHasKilledItsProcess(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	for range 2 {
		id := uuid.NewString()
		right := claim(t, here, id)
		noticed := make(chan time.Time, 1)
		go func() {
			<-right.Lost()
			noticed <- time.Now()
		}()
		cut(t, url, "mcp-aggregator claims")
		next := taken(t, there, id)
		granted := time.Now()
		if margin := granted.Sub(<-noticed); margin < store.KillTime {
			t.Errorf("it had %v to kill its process", margin)
		}
		next.Release()
		claim(t, here, id).Release() // which was given up in order
	}
}

func TestWhoTakesTheRightOfAReplicaThatIsGoneWaits(t *testing.T) {
	url := postgres.Database(t)
	there := open(t, url)
	gone, err := store.Open(t.Context(), url, quiet())
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.NewString()
	claim(t, gone, id)
	ended := time.Now()
	if err := gone.Close(); err != nil { // with the right, as if it were killed
		t.Error(err)
	}
	taken(t, there, id)
	if took := time.Since(ended); took < store.FenceTime {
		t.Errorf("it was taken after %v", took)
	}
}

// held counts the rights that were not given up in order.
func held(t *testing.T, url string) (n int) {
	t.Helper()
	if err := database(t, url).QueryRowContext(t.Context(), "SELECT count(*) FROM server_leases").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWhatIsGivenUpInOrderIsWrittenDown(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	id := uuid.NewString()
	first, second := claim(t, here, id), claim(t, here, id)
	first.Release()
	if n := held(t, url); n != 1 {
		t.Errorf("%d are held while it runs", n)
	}
	second.Release()
	if n := held(t, url); n != 0 {
		t.Errorf("%d are held after its end", n)
	}
	claim(t, there, id)
	if n := held(t, url); n != 1 {
		t.Errorf("%d are held while it runs elsewhere", n)
	}
}

func TestWhoGivesUpWaitingLeavesTheNextOneToWait(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	id := uuid.NewString()
	claim(t, here, id)
	pause := time.Now()
	cut(t, url, "mcp-aggregator claims")
	ctx, cancel := context.WithTimeout(t.Context(), store.FenceTime/4)
	defer cancel()
	for ctx.Err() == nil {
		if _, granted, err := there.Claim(ctx, id); granted {
			t.Fatalf("it was granted after %v: %v", time.Since(pause), err)
		}
	}
	given := time.Now()
	taken(t, there, id)
	if took := time.Since(given); took < store.FenceTime {
		t.Errorf("it was taken after %v", took)
	}
}
