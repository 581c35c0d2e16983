package e2e_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

const (
	chaosChildren    = 20
	chaosWellBehaved = 4 // the first of them
	chaosCallers     = 8
	chaosOpen        = 4 // calls in flight, of one caller at one child

	chaosGrowth = 10 << 20 // bytes of memory that may be kept
)

var (
	chaosTime  = flag.Duration("chaos.time", 5*time.Second, "how long one seed of the chaos test runs, about")
	chaosSeed  = flag.Uint64("chaos.seed", 0, "first seed of the chaos test; 0 for a random one")
	chaosSeeds = flag.Uint64("chaos.seeds", 1, "how many seeds the chaos test runs")
)

// Twenty children crash, hang, flood and fork while eight callers call them, in rounds
// with new children. A seed decides what children and callers do, but not when, so it may
// take several runs to reproduce a failure.
func TestChaosLosesNoCallAndLeavesNothingBehind(t *testing.T) {
	first := *chaosSeed
	if first == 0 {
		first = 1 + rand.Uint64N(1e9)
	}
	for seed := first; seed < first+*chaosSeeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			chaos(t, seed)
			if t.Failed() {
				t.Logf("again: go test ./app/simple/e2e -count=1 -run %s -chaos.seed %d -chaos.time %v", strings.Split(t.Name(), "/")[0], seed, *chaosTime)
			}
		})
	}
}

func chaos(t *testing.T, seed uint64) {
	t.Helper()
	openPoller(t)
	files := descriptors()
	goroutines := []goleak.Option{goleak.IgnoreCurrent(), goleak.IgnoreTopFunction(testutil.Launcher)}
	length := rand.New(rand.NewPCG(seed, 0))
	var sum totals
	var heap uint64
	began := time.Now()
	for n := 0; !t.Failed() && (n < 2 || time.Since(began) < *chaosTime); n++ {
		r := runRound(t, seed, n, time.Duration(500+length.IntN(2500))*time.Millisecond)
		sum.add(r)
		waitUntil(t, func() string { return moreFiles(files) })
		waitUntil(t, func() string { return moreGoroutines(goroutines) })
		if t.Failed() {
			t.Logf("round %d, in which %s; the program's log:\n%s", n, r.ending.name, testutil.Shorten(r.log.String()))
		}
		if n == 0 { // from here on memory must not grow
			heap = heapInUse()
		}
	}
	now := heapInUse()
	if now > heap+chaosGrowth {
		t.Errorf("%d bytes of memory are in use, after the first round it was %d", now, heap)
	}
	t.Logf("%v; memory in use %d KB, after the first round %d KB", &sum, now>>10, heap>>10)
}

func moreFiles(before []string) string {
	if now := descriptors(); len(now) > len(before) {
		return fmt.Sprintf("open files:\n%s\nbefore:\n%s", strings.Join(now, "\n"), strings.Join(before, "\n"))
	}
	return ""
}

func moreGoroutines(before []goleak.Option) string {
	if err := goleak.Find(before...); err != nil {
		return err.Error()
	}
	return ""
}

// totals sums up the rounds of a seed.
type totals struct{ rounds, calls, results, errors, others, failed int }

func (s *totals) add(r *round) {
	s.rounds++
	s.calls += len(r.calls)
	s.results += r.results
	s.errors += r.errors
	s.others += r.others
	for _, status := range r.manager.Statuses() {
		if status.State == child.Failed {
			s.failed++
		}
	}
}

func (s *totals) String() string {
	return fmt.Sprintf("%d rounds, %d calls, %d results, %d errors, %d other messages, %d of %d children failed",
		s.rounds, s.calls, s.results, s.errors, s.others, s.failed, s.rounds*chaosChildren)
}
