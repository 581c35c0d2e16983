//go:build !linux

package child

// launch calls start.
func launch(start func() error) error { return start() }
