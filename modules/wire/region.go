package wire

// region is a buffer for large lines. Where the system can, it is outside Go's
// heap: there a line grows without being copied, and its memory goes back to the
// system when it is done with.
type region struct {
	buf      []byte
	reserved bool
	refused  bool // by the system: the heap has to do
}

// grow returns a buffer for more than held bytes, of at most limit.
func (r *region) grow(held, limit int) []byte {
	if !r.reserved && !r.refused {
		r.buf = reserve(limit)
		r.reserved = r.buf != nil
		r.refused = !r.reserved
	}
	if !r.reserved {
		r.buf = make([]byte, min(2*held, limit))
	}
	return r.buf
}

// shrink gives memory back, but for what the next large line may need.
func (r *region) shrink() {
	switch {
	case r.reserved && len(r.buf) > keepSize:
		giveBack(r.buf[keepSize:])
	case !r.reserved && len(r.buf) > keepSize:
		size := len(r.buf)
		r.buf = nil
		GiveBack(size)
	}
}

func (r *region) end() {
	if r.reserved {
		unreserve(r.buf)
	}
	*r = region{}
}
