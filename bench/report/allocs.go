package report

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"golang.org/x/tools/benchmark/parse"
)

// Allocs holds the allocations and the median time of a Go benchmark.
type Allocs struct {
	Benchmark   string  `json:"benchmark"`
	AllocsPerOp uint64  `json:"allocsPerOp"` // maximum over its runs
	Nanoseconds Samples `json:"nsPerOp"`
}

// ReadAllocs reads a file with the output of go test -bench -benchmem.
func (r *Report) ReadAllocs(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if r.Allocs, err = ParseAllocs(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// processors matches the number of processors that Go appends to benchmark names.
var processors = regexp.MustCompile(`-\d+$`)

// ParseAllocs parses the output of go test -bench -benchmem. It sorts by name.
func ParseAllocs(r io.Reader) ([]Allocs, error) {
	set, err := parse.ParseSet(r)
	if err != nil {
		return nil, err
	}
	var all []Allocs
	for name, runs := range set {
		a := Allocs{Benchmark: processors.ReplaceAllString(name[len("Benchmark"):], "")}
		for _, run := range runs {
			if run.Measured&parse.AllocsPerOp == 0 {
				return nil, fmt.Errorf("%s: no allocs/op: run it with -benchmem", name)
			}
			a.AllocsPerOp = max(a.AllocsPerOp, run.AllocsPerOp)
			a.Nanoseconds = append(a.Nanoseconds, run.NsPerOp)
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Allocs) int { return cmp.Compare(a.Benchmark, b.Benchmark) })
	return all, nil
}
