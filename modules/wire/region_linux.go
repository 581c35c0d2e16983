package wire

import "syscall"

// reserve maps size bytes outside Go's heap. The system provides each page when it is
// first written, so that a line can grow in place. It returns nil if mmap fails.
func reserve(size int) []byte {
	region, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return region
}

// releasePages returns the pages of a reserved buffer to the system. The buffer remains
// usable.
func releasePages(region []byte) {
	_ = syscall.Madvise(region, syscall.MADV_DONTNEED) // at worst the pages stay
}

// unmap frees a reserved buffer.
func unmap(region []byte) {
	_ = syscall.Munmap(region) // nothing can be done about a failure
}
