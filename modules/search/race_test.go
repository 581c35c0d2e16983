//go:build race

package search_test

// underRace is whether the race detector makes everything ten times slower.
const underRace = true
