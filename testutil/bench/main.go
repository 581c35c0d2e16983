// Command bench measures what the aggregator costs, against a child alone, a
// bare relay of bytes, and a proxy of the SDK's types, in one run.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	rounds := flag.Int("rounds", 15, "how often each cell is measured")
	only := flag.String("only", "", "measure this stage alone, and print what it found")
	out := flag.String("out", "", "folder for the JSON file, the charts and the page; none unless given")
	flag.Parse()
	if err := run(*rounds, *only, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int, only, out string) error {
	r := &report{Machine: machine()}
	for _, stage := range []struct {
		name    string
		measure func(*report, int) error
	}{
		{"calls", calls}, {"memory", memories}, {"starting", starts}, {"lists", lists}, {"a slow call", slowCall},
	} {
		if only != "" && only != stage.name {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring:", stage.name)
		if err := stage.measure(r, rounds); err != nil {
			return fmt.Errorf("%s: %w", stage.name, err)
		}
	}
	if only != "" {
		fmt.Printf("%+v\n", *r)
		return nil
	}
	r.print(os.Stdout)
	if out == "" {
		return nil
	}
	return r.write(out)
}
