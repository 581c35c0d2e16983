//go:build !race

package main_test

// underRace tells that the race detector needs memory and time of its own.
const underRace = false
