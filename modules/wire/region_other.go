//go:build !linux

package wire

// reserve returns nil, so that lines grow on Go's heap.
func reserve(int) []byte { return nil }

func releasePages([]byte) {}

func unmap([]byte) {}
