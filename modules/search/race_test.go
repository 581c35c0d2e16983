//go:build race

package search_test

// underRace reports whether the race detector is on, which is ten times slower.
const underRace = true
