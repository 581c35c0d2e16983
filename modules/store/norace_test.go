//go:build !race

package store_test

import "time"

// limit is how long storing ten thousand tools may take.
const limit = 2 * time.Second
