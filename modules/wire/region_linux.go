package wire

import "syscall"

// reserve returns a buffer of that many bytes outside Go's heap, of which the
// system provides each page when it is first written: a line can grow in it
// without being copied. It is nil when the system refuses.
func reserve(size int) []byte {
	region, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return region
}

// releasePages returns the pages of a reserved buffer to the system; the buffer can
// still be used.
func releasePages(region []byte) {
	_ = syscall.Madvise(region, syscall.MADV_DONTNEED) // kept pages are no harm
}

// unmap ends a reserved buffer.
func unmap(region []byte) {
	_ = syscall.Munmap(region) // it is forgotten all the same
}
