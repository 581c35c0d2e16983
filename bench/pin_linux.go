package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pin confines this program, and the processes it starts, to one processor. It returns a
// function that undoes this.
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
	return func() { _ = confine(&all) }, confine(&one) // on failure, later stages are merely slower
}

// confine sets the processors of all threads. A new thread inherits those of its creator,
// so confine repeats until it finds no unseen thread.
func confine(to *unix.CPUSet) error {
	seen := make(map[string]bool)
	for before := -1; before < len(seen); {
		before = len(seen)
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, thread := range threads {
			id, _ := strconv.Atoi(thread.Name()) // the names are all numbers
			if err := unix.SchedSetaffinity(id, to); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("one processor: %w", err)
			}
			seen[thread.Name()] = true
		}
	}
	return nil
}
