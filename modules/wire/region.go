package wire

import (
	"runtime/debug"
	"sync/atomic"
)

// region is a buffer for large lines. Where the system can, it is outside Go's
// heap: there a line grows without being copied, and its memory goes back to the
// system when it is done with. On the heap a result of 64 MB takes three times its size
// instead of once, and a call of 1 MB 25 to 100 % more processor time.
type region struct {
	buf         []byte
	reserved    bool
	mapFailed   bool // by the system: the heap has to do
	keepsMemory bool
}

// keptRegions is how many regions keep some of their memory.
//
//nolint:gochecknoglobals // it bounds what all of the process keep
var keptRegions atomic.Int32

// mayKeepMemory reports whether the region may keep memory, from now on.
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

// shrink gives memory back, but for what the next large line may need.
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

// releaseSize is the size, in bytes, of a buffer whose memory goes back to the
// system at once: an idle program collects its garbage only every two minutes.
const releaseSize = 32 << 20

// ReleaseMemory is told the size of a buffer that was just let go.
func ReleaseMemory(size int) {
	if size >= releaseSize {
		debug.FreeOSMemory()
	}
}
