//go:build !unix

package service

import "math"

// descriptors returns how many descriptors the process may open: there is no limit.
func descriptors() int { return math.MaxInt32 }
