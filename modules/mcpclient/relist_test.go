package mcpclient_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/mcpclient"
)

// startRelist runs Relist until the function that it returns is called.
func startRelist(t *testing.T, changes mcpclient.Changes, read func()) (*bytes.Buffer, func()) {
	t.Helper()
	log := new(bytes.Buffer)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		mcpclient.Relist(ctx, changes, slog.New(slog.NewTextHandler(log, nil)), func(context.Context) { read() })
	}()
	return log, func() {
		cancel()
		<-ended
	}
}

func TestListThatChangesAgainAndAgainIsReadLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := mcpclient.NewChanges()
		last := time.Now()
		var pauses []time.Duration
		log, stop := startRelist(t, changes, func() {
			pauses = append(pauses, time.Since(last))
			last = time.Now()
			if len(pauses) < 20 {
				changes.Signal()
			}
		})
		changes.Signal()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if len(pauses) != 20 || pauses[3] != 0 || pauses[4] != 10*time.Millisecond || pauses[5] != 20*time.Millisecond || pauses[19] != 10*time.Second {
			t.Errorf("the list was read after %v", pauses)
		}
		changes.Signal()
		synctest.Wait()
		if got := time.Since(last); got != 0 || len(pauses) != 21 {
			t.Errorf("after three minutes without changes, it took %v to read the list, %d readings", got, len(pauses))
		}
		stop()
		if got := strings.Count(log.String(), "tool list changes each time it is read"); got != 1 {
			t.Errorf("%d warnings:\n%s", got, log)
		}
	})
}

func TestListThatChangesNowAndThenIsReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := mcpclient.NewChanges()
		readings := 0
		log, stop := startRelist(t, changes, func() { readings++ })
		for i := range 100 {
			changes.Signal()
			synctest.Wait()
			if readings != i+1 {
				t.Fatalf("%d readings after change %d", readings, i+1)
			}
			time.Sleep(time.Second)
		}
		stop()
		if log.Len() > 0 {
			t.Errorf("log:\n%s", log)
		}
	})
}

func TestChangesDuringOneReadingTakeOneMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := mcpclient.NewChanges()
		readings, goOn := 0, make(chan struct{})
		_, stop := startRelist(t, changes, func() {
			readings++
			<-goOn
		})
		changes.Signal()
		synctest.Wait()
		for range 5 {
			changes.Signal()
		}
		close(goOn)
		time.Sleep(time.Minute)
		stop()
		if readings != 2 {
			t.Errorf("the list was read %d times, want 2", readings)
		}
	})
}
