package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-aggregator/bench/report"
)

// times returns a report in which calls through the aggregator take that many times as
// long as through the relay.
func times(slower float64) *report.Report {
	r := &report.Report{}
	l := report.Load{Payload: report.Text, Size: 100, Flight: 64}
	for way, took := range map[string]float64{
		report.Direct: 1, report.Relay: 2, report.Aggregator1: 2 * slower, report.Aggregator12: 2 * slower, report.TypedProxy: 80,
	} {
		s := report.Samples{took}
		r.Calls = append(r.Calls, report.Call{Load: l, Way: way, PerCall: s, P50: s, P99: s, CPU: s})
	}
	return r
}

// oneCore is like times, for one core.
func oneCore(slower float64) *report.Report {
	r := times(slower)
	r.Calls, r.OneCore = nil, r.Calls
	return r
}

func ms(v float64) report.Samples { return report.Samples{v} }

func start() *report.Start {
	return &report.Start{Empty: ms(1), Initialized: ms(17), Direct: ms(2), Twelve: ms(20), Slowest: ms(500), Staggered: ms(550)}
}

// verdicts returns the verdicts on all targets that begin with what.
func verdicts(r *report.Report, what string) (all []string) {
	r.Judge()
	for _, t := range r.Targets {
		if strings.HasPrefix(t.What, what) {
			all = append(all, t.Verdict)
		}
	}
	return all
}

func TestVerdicts(t *testing.T) {
	start := start()
	for name, c := range map[string]struct {
		report *report.Report
		what   string
		want   string
	}{
		"a call at its limit is met":               {times(1.3), "time per call over", report.Met},
		"a call above its limit is missed":         {times(1.31), "time per call over", report.Missed},
		"a call on one core at its limit is met":   {oneCore(1.6), "time per call over the relay's with one core", report.Met},
		"a call on one core above it is missed":    {oneCore(1.61), "time per call over the relay's with one core", report.Missed},
		"processor time at its limit is met":       {times(2.5), "processor time", report.Met},
		"processor time above its limit is missed": {times(2.6), "processor time", report.Missed},
		"15 times as fast is met":                  {times(80.0 / 2 / 15), "times as fast", report.Met},
		"14 times as fast is missed":               {times(80.0 / 2 / 14), "times as fast", report.Missed},
		"a list that takes as long is met":         {&report.Report{Lists: []report.List{{10, ms(2), ms(2)}}}, "tools/list", report.Met},
		"a list that takes longer is missed":       {&report.Report{Lists: []report.List{{10, ms(2), ms(3)}}}, "tools/list", report.Missed},
		"a start counts from the empty program":    {&report.Report{Start: start}, "ms from exec", report.Missed},
		"children that overlap are met":            {&report.Report{Start: start}, "12 children ready", report.Met},
		"children at once have no target":          {&report.Report{Start: start}, "12 children that start at once", report.None},
		"no allocation of a scan is met":           {&report.Report{Allocs: []report.Allocs{{Benchmark: "Scan/1MB"}}}, "allocations, scan", report.Met},
		"one in any scan is missed":                {&report.Report{Allocs: []report.Allocs{{Benchmark: "Scan/a"}, {Benchmark: "Scan/b", AllocsPerOp: 1}}}, "allocations, scan", report.Missed},
		"four in routing are met":                  {&report.Report{Allocs: []report.Allocs{{Benchmark: "Route", AllocsPerOp: 4}}}, "allocations, route", report.Met},
	} {
		t.Run(name, func(t *testing.T) {
			if got := verdicts(c.report, c.what); len(got) != 1 || got[0] != c.want {
				t.Errorf("%q, not %q alone", got, c.want)
			}
		})
	}
}

func TestNotesAreForMissedTargetsAlone(t *testing.T) {
	const heading, profile = "## Where a target is missed", "(profile.md)"
	met := times(1)
	met.Judge()
	if page := met.Page(); strings.Contains(page, heading) || strings.Contains(page, profile) {
		t.Errorf("nothing is missed, yet:\n%s", page)
	}
	missed := times(2)
	missed.Judge()
	_, notes, found := strings.Cut(missed.Page(), heading)
	if !found || !strings.Contains(notes, profile) {
		t.Fatalf("no notes:\n%s", missed.Page())
	}
	if want := "**time per call over the relay's, 100 B of text, 64 at once**, <= 1.3: 2.00. 4.00 µs through the aggregator, 2.00 through the relay, 1.00 directly"; !strings.Contains(notes, want) {
		t.Errorf("no %q in %s", want, notes)
	}
	if strings.Contains(notes, "processor time per call") || strings.Contains(notes, "typed proxy") {
		t.Errorf("notes on what is met: %s", notes)
	}
}

func TestAStageAlonePrintsItsTablesAlone(t *testing.T) {
	r := &report.Report{Slow: &report.Slow{Alone: report.Samples{10}, Other: report.Samples{11}, Same: report.Samples{12}}}
	r.Judge()
	var out bytes.Buffer
	r.Print(&out)
	if text := out.String(); !strings.Contains(text, "A slow call") || strings.Contains(text, "Memory") {
		t.Error(text)
	}
}

func TestAReportIsAPageFiguresAndCharts(t *testing.T) {
	r := times(2)
	r.Start = start()
	r.Judge()
	folder := t.TempDir()
	if err := r.Write(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"benchmarks.md", "benchmarks-calls.svg", "benchmarks-start.svg"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "benchmarks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Calls []struct{ PerCall float64 } }
	if err := json.Unmarshal(text, &got); err != nil || len(got.Calls) != len(r.Calls) || got.Calls[0].PerCall == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
