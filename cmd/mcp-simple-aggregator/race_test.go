//go:build race

package main_test

// underRace reports whether the race detector is on, which needs memory and time.
const underRace = true
