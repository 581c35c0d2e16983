// Command bench measures the overhead of the aggregator, compared with a child alone, a
// plain byte relay and a proxy based on the SDK, in one run.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"mcp-aggregator/bench/report"
)

func main() {
	o := options{}
	flag.IntVar(&o.rounds, "rounds", 15, "how often each case is measured")
	flag.StringVar(&o.only, "only", "", "measure this stage alone: calls, onecore, memory, start, lists or slow")
	flag.StringVar(&o.allocs, "allocs", "", "file with what go test -bench -benchmem printed")
	flag.StringVar(&o.out, "out", "", "folder for the JSON file, the charts and the page; none unless given")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds            int
	only, allocs, out string
}

func run(o options) (err error) {
	if o.only != "" && o.out != "" {
		return errors.New("a page needs every stage: leave out -only or -out")
	}
	l, err := newLab(o.rounds)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	r := &report.Report{Machine: report.ThisMachine(), Rounds: o.rounds}
	if err := l.measure(r, o.only); err != nil {
		return err
	}
	if o.allocs != "" {
		if err := r.ReadAllocs(o.allocs); err != nil {
			return err
		}
	}
	r.Judge()
	r.Print(os.Stdout)
	if o.out == "" {
		return nil
	}
	return r.Write(o.out)
}

// measure runs all stages, or the named one.
func (l *lab) measure(r *report.Report, only string) error {
	known := false
	for _, stage := range []struct {
		name string
		run  func(*report.Report) error
	}{
		{"calls", l.calls}, {"onecore", l.oneCore}, {"memory", l.memory}, {"start", l.start}, {"lists", l.lists}, {"slow", l.slow},
	} {
		if only != "" && only != stage.name {
			continue
		}
		known = true
		fmt.Fprintln(os.Stderr, "measuring:", stage.name)
		if err := stage.run(r); err != nil {
			return fmt.Errorf("%s: %w", stage.name, err)
		}
	}
	if !known {
		return fmt.Errorf("-only %s: no such stage: take calls, onecore, memory, start, lists or slow", only)
	}
	return nil
}
