package wire

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// DefaultMaxLine is the default limit of a Reader for the length of a line, in
	// bytes.
	DefaultMaxLine = 256 << 20

	smallSize = 128 << 10 // size of the buffer that most lines fit in
	readSize  = 256 << 10 // most bytes per read
	// keptSize is how much memory of a large buffer is kept for the next large line.
	// maxKeptRegions bounds the buffers that may keep it, because the number of readers
	// is not bounded.
	keptSize       = 2 << 20
	maxKeptRegions = 4
)

// TooLongError reports a line that was dropped because it exceeds the reader's limit.
// The reader remains usable.
type TooLongError struct {
	Size     int // bytes, without the newline
	Limit    int // bytes
	Envelope Envelope
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("message of %d bytes exceeds the limit of %d bytes", e.Size, e.Limit)
}

// Reader splits a stream into lines: the framing of the MCP stdio transport
// (specification 2025-11-25, basic/transports#stdio).
type Reader struct {
	src   io.Reader
	buf   []byte // unread bytes are buf[start:end]
	start int
	end   int
	limit int
	err   error // from src

	small []byte
	large region // for lines that do not fit in small
}

// NewReader returns a Reader of src that drops lines longer than limit bytes;
// zero means DefaultMaxLine.
func NewReader(src io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultMaxLine
	}
	return &Reader{src: src, limit: limit}
}

// ReadLine returns the next line without its newline. The line is valid until the next
// call. A last line without a newline is returned before io.EOF. A *TooLongError stands
// for a dropped line; every other error is final.
func (r *Reader) ReadLine() ([]byte, error) {
	seen := 0 // bytes of buf[start:end] that hold no newline
	for {
		if i := bytes.IndexByte(r.buf[r.start+seen:r.end], '\n'); i >= 0 {
			return r.takeLine(seen+i, 1)
		}
		seen = r.end - r.start
		if seen > r.limit {
			return nil, r.skipLongLine()
		}
		if r.err != nil {
			return r.lastLine()
		}
		r.readMore()
	}
}

// Buffered reports whether another complete line has already been read from the source,
// so that ReadLine would not block.
func (r *Reader) Buffered() bool {
	return bytes.IndexByte(r.buf[r.start:r.end], '\n') >= 0
}

func (r *Reader) takeLine(n, newline int) ([]byte, error) {
	line := r.buf[r.start : r.start+n : r.start+n]
	r.start += n + newline
	if n > r.limit {
		return nil, &TooLongError{Size: n, Limit: r.limit, Envelope: EnvelopeOf(line)}
	}
	return line, nil
}

func (r *Reader) lastLine() ([]byte, error) {
	if r.start == r.end {
		r.buf, r.small, r.start, r.end = nil, nil, 0, 0
		r.large.free()
		return nil, r.err
	}
	return r.takeLine(r.end-r.start, 0)
}

// readMore makes room in the buffer and reads from the source once.
func (r *Reader) readMore() {
	r.makeRoom()
	n, err := r.src.Read(r.buf[r.end:min(len(r.buf), r.end+readSize)])
	r.end += n
	r.err = err
}

// makeRoom moves the unread bytes, a partial line, to where more can be appended.
func (r *Reader) makeRoom() {
	held := r.end - r.start
	switch {
	case held == 0 && len(r.buf) == smallSize: // start over in the same memory
		r.start, r.end = 0, 0
	case held <= smallSize/2:
		if r.end == len(r.buf) || len(r.buf) > smallSize {
			r.moveTo(r.smallBuffer())
			r.large.shrink()
		}
	case r.start > 0 && held <= len(r.buf)/2:
		r.moveTo(r.buf)
	case r.end == len(r.buf):
		r.moveTo(r.large.grow(held, r.limit+readSize))
	}
}

func (r *Reader) smallBuffer() []byte {
	if r.small == nil {
		r.small = make([]byte, smallSize)
	}
	return r.small
}

func (r *Reader) moveTo(to []byte) {
	r.end = copy(to, r.buf[r.start:r.end])
	r.buf, r.start = to, 0
}

// skipLongLine skips to the end of a line that is too long, keeping only its envelope.
func (r *Reader) skipLongLine() error {
	var envelope envelopeScanner
	size := 0
	for {
		piece, _, ends := bytes.Cut(r.buf[r.start:r.end], newline)
		envelope.feed(piece)
		size += len(piece)
		r.start += len(piece)
		if ends {
			r.start++
		}
		if ends || r.err != nil {
			return &TooLongError{Size: size, Limit: r.limit, Envelope: envelope.Envelope}
		}
		r.start, r.end = 0, 0
		r.readMore() // also releases a large buffer
	}
}

// ReadAll reads all of r. announced is the size that the sender claims, in bytes, or 0;
// memory is allocated as bytes arrive, so that a large claim alone costs nothing.
func ReadAll(r io.Reader, announced int64) ([]byte, error) {
	const small = 64 << 10
	if announced <= 0 || announced > small {
		return io.ReadAll(r)
	}
	var body bytes.Buffer
	body.Grow(int(announced) + bytes.MinRead) // room to see the end without growing again
	_, err := body.ReadFrom(r)
	return body.Bytes(), err
}
