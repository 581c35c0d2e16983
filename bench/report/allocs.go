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

// Allocs is what one Go benchmark allocates, and the median time it takes.
type Allocs struct {
	Benchmark   string  `json:"benchmark"`
	AllocsPerOp uint64  `json:"allocsPerOp"` // the most of its runs
	Nanoseconds Samples `json:"nsPerOp"`
}

// ReadAllocs reads a file with what go test -bench -benchmem printed.
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

// processors is the number that Go puts behind a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// ParseAllocs reads what go test -bench -benchmem printed. It sorts by name.
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
