package wire

import (
	"runtime/debug"
	"sync/atomic"
)

// region is a buffer for large lines. Where the system supports it, the buffer is
// outside Go's heap: a line grows there without being copied, and its memory returns to
// the system after use. On the heap, a result of 64 MB takes three times its size
// instead of once, and a call of 1 MB takes 25 to 100 % more processor time.
type region struct {
	buf         []byte
	reserved    bool
	mapFailed   bool // by the system: the heap has to do
	keepsMemory bool
}

// keptRegions is the number of regions that keep some of their memory.
//
//nolint:gochecknoglobals // it bounds the memory of the whole process
var keptRegions atomic.Int32

// mayKeepMemory reports whether the region may keep memory between large lines. Once it
// has, it keeps the permission until it is freed.
func (r *region) mayKeepMemory() bool {
	if !r.keepsMemory {
		r.keepsMemory = keptRegions.Add(1) <= maxKeptRegions
		if !r.keepsMemory {
			keptRegions.Add(-1)
		}
	}
	return r.keepsMemory
}

// grow returns a buffer for more than held bytes, of at most limit.
func (r *region) grow(held, limit int) []byte {
	if !r.reserved && !r.mapFailed {
		r.buf = reserve(limit)
		r.reserved = r.buf != nil
		r.mapFailed = !r.reserved
	}
	if !r.reserved {
		r.buf = make([]byte, min(2*held, limit))
	}
	return r.buf
}

// shrink releases memory, except for what the next large line may need.
func (r *region) shrink() {
	size := len(r.buf)
	switch {
	case size == 0:
	case r.reserved && r.mayKeepMemory():
		releasePages(r.buf[min(size, keptSize):])
	case r.reserved:
		releasePages(r.buf)
	case size > keptSize || !r.mayKeepMemory():
		r.buf = nil
		ReleaseMemory(size)
	}
}

func (r *region) free() {
	if r.reserved {
		unmap(r.buf)
	}
	if r.keepsMemory {
		keptRegions.Add(-1)
	}
	*r = region{}
}

// releaseSize is the size, in bytes, from which the memory of a dropped buffer is
// returned to the system at once. Otherwise an idle program waits two minutes for the
// next garbage collection.
const releaseSize = 32 << 20

// ReleaseMemory returns memory to the system if size, that of a heap buffer that the
// caller has just dropped, is large.
func ReleaseMemory(size int) {
	if size >= releaseSize {
		debug.FreeOSMemory()
	}
}
