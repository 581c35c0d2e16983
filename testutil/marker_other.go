//go:build !linux

package testutil

// processesWith finds nobody: only Linux shows the environments of processes.
func processesWith(string) []int { return nil }
