//go:build race

package store_test

import "time"

// limit is generous: the race detector costs SQLite, which is Go here, a lot.
const limit = 20 * time.Second
