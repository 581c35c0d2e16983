package main

import (
	"fmt"
	"os/exec"
	"time"
)

// calls measures the time, the latency and the processor time of calls.
func calls(r *report, rounds int) error {
	all, err := subjects()
	defer closeAll(all)
	if err != nil {
		return err
	}
	r.calls, err = measureCalls(all, rounds)
	return err
}

// memories measures what the aggregator has resident.
func memories(r *report, _ int) error {
	s, err := ready(aggregate(alike(12)...))
	if err != nil {
		return err
	}
	defer s.close() //nolint:errcheck // what it was measured for is known
	pid := s.cmd.Process.Pid
	time.Sleep(time.Second) // it has come to rest
	idle, err := memoryOf(pid)
	if err != nil {
		return err
	}
	if _, err := s.run(load{100, 64, 100_000}); err != nil {
		return err
	}
	busy, err := memoryOf(pid)
	if err != nil {
		return err
	}
	if err := forgetPeak(pid); err != nil {
		return err
	}
	const size = 64 << 20
	if err := s.ask("tools/call", fmt.Sprintf(`{"name":"%sx%d","arguments":{}}`, ours, size)); err != nil {
		return err
	}
	time.Sleep(time.Second)
	huge, err := memoryOf(pid)
	if err != nil {
		return err
	}
	r.Memory = memoryFigures{
		Idle: megabytes(idle.now), AfterCalls: megabytes(busy.now),
		PeakOfHuge: megabytes(huge.peak), AfterHuge: megabytes(huge.now), HugeOverSize: float64(huge.peak-busy.now) / size,
	}
	return nil
}

// starts measures the times from exec.
func starts(r *report, rounds int) error {
	var floor, answered []time.Duration
	path, err := config(alike(1)...)
	if err != nil {
		return err
	}
	for range 2 * rounds {
		began := time.Now()
		if err := exec.Command(empty).Run(); err != nil {
			return err
		}
		floor = append(floor, time.Since(began))
		began = time.Now()
		s, err := open(ours, aggregator, "--config", path)
		if err != nil {
			return err
		}
		if err := s.greet(); err != nil {
			return err
		}
		answered = append(answered, time.Since(began))
		_ = s.close() // what it was measured for is known
	}
	r.Start.Empty, r.Start.Initialized = milliseconds(median(floor)), milliseconds(median(answered))
	if err := r.Start.lists(rounds); err != nil {
		return err
	}
	return r.Start.twelve(rounds)
}

// The cases of lists.
var startCases = []string{"1 child", "12 children", "50 children"}

const oneSlow = "12 children, one of them slow (2 s)"

// lists measures the times from exec to a complete list.
func (f *startFigures) lists(rounds int) error {
	f.Complete = make(map[string]float64)
	for name, servers := range map[string][][]string{
		startCases[0]: alike(1), startCases[1]: alike(12), startCases[2]: alike(50),
		oneSlow: append(alike(11), []string{"-slow", "2s"}),
	} {
		var took []time.Duration
		for range max(3, rounds/3) {
			d, err := untilListed(aggregate(servers...))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			took = append(took, d)
		}
		f.Complete[name] = milliseconds(median(took))
	}
	return nil
}

// twelve measures twelve servers, the slowest of which takes half a second, as
// real ones do, against that one alone.
func (f *startFigures) twelve(rounds int) error {
	var servers [][]string
	for i := range 12 {
		servers = append(servers, []string{"-slow", fmt.Sprintf("%dms", 60+40*i)})
	}
	slowest := servers[len(servers)-1]
	var ratios []float64
	for range max(3, rounds/3) {
		alone, err := untilListed(open("", append([]string{child}, slowest...)...))
		if err != nil {
			return err
		}
		all, err := untilListed(aggregate(servers...))
		if err != nil {
			return err
		}
		ratios = append(ratios, float64(all)/float64(alone))
	}
	f.TwelveOverSlowest = median(ratios)
	return nil
}

// untilListed is the time from exec, which has just been, to a complete list.
func untilListed(s *session, err error) (time.Duration, error) {
	began := time.Now()
	s, err = ready(s, err)
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	return took, s.close()
}

// lists measures tools/list of many tools, of a child and of the aggregator's
// snapshot. How two processes fall on the cores makes a factor of two: each round
// has new ones.
func lists(r *report, rounds int) error {
	for _, count := range []int{1_000, 10_000} {
		arg := fmt.Sprintf("-tools=%d", count)
		var ratios, times []float64
		for range rounds {
			alone, err := timesOfLists(open("", child, arg))
			if err != nil {
				return err
			}
			through, err := timesOfLists(aggregate([]string{arg}))
			if err != nil {
				return err
			}
			ratios = append(ratios, through/alone)
			times = append(times, through)
		}
		r.Lists = append(r.Lists, listFigures{Tools: count, Ratio: median(ratios), Milliseconds: median(times)})
	}
	return nil
}

// timesOfLists returns the median, in milliseconds, of the times that a program
// takes to answer tools/list.
func timesOfLists(s *session, err error) (float64, error) {
	s, err = ready(s, err)
	if err != nil {
		return 0, err
	}
	var times []float64
	for range 20 {
		began := time.Now()
		if err := s.list(); err != nil {
			return 0, err
		}
		times = append(times, milliseconds(time.Since(began)))
	}
	return median(times), s.close()
}

// slowCall measures calls one at a time, alone and while one of two seconds is
// open.
func slowCall(r *report, rounds int) error {
	s, err := ready(aggregate(alike(2)...))
	if err != nil {
		return err
	}
	defer s.close() //nolint:errcheck // what it was measured for is known
	var ratios []float64
	for range max(3, rounds/3) {
		alone, err := s.run(load{100, 1, 2000})
		if err != nil {
			return err
		}
		if err := s.beside(`{"name":"s1:wait2s","arguments":{}}`); err != nil {
			return err
		}
		beside, err := s.run(load{100, 1, 2000})
		if err != nil {
			return err
		}
		if _, _, err := s.answer(); err != nil { // the slow one's
			return err
		}
		ratios = append(ratios, float64(median(beside.latencies))/float64(median(alone.latencies)))
	}
	r.BesideSlow = median(ratios)
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
