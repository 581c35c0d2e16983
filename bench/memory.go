package main

import (
	"fmt"
	"time"

	"mcp-aggregator/bench/proc"
	"mcp-aggregator/bench/report"
)

// memoryRounds is how often memory is measured, each time in a new process.
const memoryRounds = 3

// memory measures the resident memory of the aggregator.
func (l *lab) memory(r *report.Report) error {
	r.Memory = &report.Memory{}
	return interleave(min(l.rounds, memoryRounds),
		func() error { return l.memoryOnce(r.Memory) },
		func() error { return l.leanMemory(r.Memory) })
}

// leanMemory measures the same 12 servers behind three tools.
func (l *lab) leanMemory(m *report.Memory) error {
	path, err := l.config(alike(12)...)
	if err != nil {
		return err
	}
	s, err := ready(open(aggregator, "--config", path, "--lean"))
	if err != nil {
		return err
	}
	defer s.close() //nolint:errcheck // what it was measured for is known
	for i := range 50 {
		params := fmt.Sprintf(`{"name":"search_tools","arguments":{"query":"code x100 number %d"}}`, i)
		if err := s.ask("tools/call", params); err != nil {
			return err
		}
	}
	time.Sleep(time.Second) // it has come to rest
	memory, err := proc.MemoryOf(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	m.Lean = append(m.Lean, megabytes(memory.Now))
	return nil
}

func (l *lab) memoryOnce(m *report.Memory) error {
	s, err := ready(l.aggregate(alike(12)...))
	if err != nil {
		return err
	}
	defer s.close() //nolint:errcheck // what it was measured for is known
	pid := s.cmd.Process.Pid
	time.Sleep(time.Second) // let it settle
	idle, err := proc.MemoryOf(pid)
	if err != nil {
		return err
	}
	var all []string
	for i := range 12 {
		all = append(all, fmt.Sprintf("s%d:", i))
	}
	if _, err := s.run(load{report.Load{Payload: text, Size: 100, Flight: 64}, 100_000}, all...); err != nil {
		return err
	}
	busy, err := proc.MemoryOf(pid)
	if err != nil {
		return err
	}
	m.Idle = append(m.Idle, megabytes(idle.Now))
	m.AfterCalls = append(m.AfterCalls, megabytes(busy.Now))
	return hugeResult(m, s, busy.Now)
}

// hugeResult measures a result of 64 MB.
func hugeResult(m *report.Memory, s *session, before int) error {
	const size = 64 << 20
	pid := s.cmd.Process.Pid
	if err := proc.ForgetPeak(pid); err != nil {
		return err
	}
	if err := s.ask("tools/call", fmt.Sprintf(`{"name":"%sx%d","arguments":{}}`, ours, size)); err != nil {
		return err
	}
	time.Sleep(time.Second)
	after, err := proc.MemoryOf(pid)
	if err != nil {
		return err
	}
	m.PeakOfHuge = append(m.PeakOfHuge, megabytes(after.Peak))
	m.AfterHuge = append(m.AfterHuge, megabytes(after.Now))
	m.HugeOverSize = append(m.HugeOverSize, float64(after.Peak-before)/size)
	return nil
}

func megabytes(bytes int) float64 { return float64(bytes) / (1 << 20) }
