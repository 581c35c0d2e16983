// Command benchservice measures what the service mcp-aggregator costs: throughput and
// latency of calls, beside a child alone, a plain HTTP server and a gateway of the
// SDK's types, in one run; how it stands 50 servers with 10,000 tools; and how fast it
// finds one of them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"mcp-aggregator/bench/report"
)

func main() {
	o := options{}
	flag.IntVar(&o.rounds, "rounds", 5, "how often throughput and discovery are measured")
	flag.DurationVar(&o.slice, "slice", time.Second, "how long each way is measured in a round")
	flag.DurationVar(&o.steady, "steady", time.Minute, "how long there are 100 calls a second")
	flag.StringVar(&o.only, "only", "", "measure this stage alone: calls, scale, discovery or search")
	flag.StringVar(&o.out, "out", "", "folder for the JSON file and the page; none unless given")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "benchservice:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds        int
	slice, steady time.Duration
	only, out     string
}

func run(o options) (err error) {
	if o.only != "" && o.out != "" {
		return errors.New("a page needs every stage: leave out -only or -out")
	}
	l := &lab{options: o}
	if l.folder, err = os.MkdirTemp("", "benchservice"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(l.folder)) }()
	r := &Report{Machine: report.ThisMachine(), Rounds: o.rounds, Steady: o.steady.Seconds()}
	if err := l.measure(r); err != nil {
		return err
	}
	r.Judge()
	for _, t := range r.tables() {
		t.Plain(os.Stdout)
	}
	if o.out == "" {
		return nil
	}
	return r.Write(o.out)
}

// measure runs all stages, or the named one.
func (l *lab) measure(r *Report) error {
	known := false
	for _, stage := range []struct {
		name string
		run  func(*Report) error
	}{{"calls", l.calls}, {"scale", l.scale}, {"discovery", l.discovery}, {"search", l.searches}} {
		if l.only != "" && l.only != stage.name {
			continue
		}
		known = true
		fmt.Fprintln(os.Stderr, "measuring:", stage.name)
		if err := stage.run(r); err != nil {
			return fmt.Errorf("%s: %w", stage.name, err)
		}
	}
	if !known {
		return fmt.Errorf("-only %s: no such stage: take calls, scale, discovery or search", l.only)
	}
	return nil
}
