//go:build !race

package store_test

import "time"

// limit is how long storing ten thousand tools may take. The race detector slows SQLite,
// which is written in Go, a lot.
const limit = 2 * time.Second
