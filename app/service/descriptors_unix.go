//go:build unix

package service

import (
	"math"
	"syscall"
)

// descriptors returns how many descriptors the process may open. Go has raised the limit
// to the user's maximum.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
