package wire

import "runtime/debug"

// hugeSize is the size, in bytes, of a buffer whose memory goes back to the
// system at once: an idle program collects its garbage only every two minutes.
const hugeSize = 32 << 20

// GiveBack is told the size of a buffer that was just let go.
func GiveBack(size int) {
	if size >= hugeSize {
		debug.FreeOSMemory()
	}
}
