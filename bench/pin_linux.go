package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pin keeps this program, and what it starts from now on, on one processor, until
// it may leave it.
func pin() (leave func(), err error) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return nil, fmt.Errorf("processors: %w", err)
	}
	var one unix.CPUSet
	for cpu := 0; one.Count() == 0; cpu++ {
		if all.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	return func() { _ = confine(&all) }, confine(&one) // what follows would only be slower
}

// confine sets where the threads of this program run: new ones are where their
// makers are, so it looks until there is none that it has not seen.
func confine(to *unix.CPUSet) error {
	seen := make(map[string]bool)
	for before := -1; before < len(seen); {
		before = len(seen)
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, thread := range threads {
			id, _ := strconv.Atoi(thread.Name()) // all are numbers
			if err := unix.SchedSetaffinity(id, to); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("one processor: %w", err)
			}
			seen[thread.Name()] = true
		}
	}
	return nil
}
