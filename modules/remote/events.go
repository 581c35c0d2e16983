package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// event is one server-sent event (HTML, 9.2), without comments and unknown fields.
type event struct {
	name, id, retry string
	data            []byte // valid until the next event is read
	overflow        string // why data is only its beginning
}

// lineSize is the most that is read at once, and the longest line of a field other
// than data: a longer one is ignored.
const lineSize = 16 << 10

// eventReader reads the events of one stream. It holds no more than lineSize of a line;
// data goes into a buffer.
type eventReader struct {
	src       *bufio.Reader
	data      *buffer
	started   bool // a line was read
	hasData   bool // the current event has a line of data
	truncated bool // the last event was too long, and is not read to its end
	midLine   bool // the last piece is not the end of a line
}

// errTooLong ends an event whose data is too long: its own end may never come.
var errTooLong = errors.New("an event is too long")

// nextEvent returns the next event with a field. The last one of a stream may lack the
// empty line after it, because servers omit it. The data of one that was cut off is not
// JSON.
func (e *eventReader) nextEvent() (event, error) {
	var ev event
	e.data.resetBuffer()
	e.hasData = false
	if e.truncated {
		if err := e.skipEvent(); err != nil {
			return event{}, err
		}
		e.truncated = false
	}
	for {
		line, whole, err := e.readPiece()
		if len(line) > 0 && nilOrEOF(err) {
			err = errors.Join(err, e.readField(&ev, line, whole))
		}
		switch {
		case errors.Is(err, errTooLong):
			e.truncated = true
			return e.completeEvent(ev), nil
		case !nilOrEOF(err):
			return event{}, err
		case err != nil && e.hasData: // the next Read returns the end again
			return e.completeEvent(ev), nil
		case err != nil:
			return event{}, err
		case len(line) == 0 && (e.hasData || ev.id != "" || ev.retry != ""):
			return e.completeEvent(ev), nil
		}
	}
}

// nilOrEOF reports whether err is nil, or the end of the stream.
func nilOrEOF(err error) bool { return err == nil || errors.Is(err, io.EOF) }

func (e *eventReader) completeEvent(ev event) event {
	ev.data, ev.overflow = e.data.bytes, e.data.overflow
	return ev
}

// readField adds a line to the event. line is its first piece if it is long.
func (e *eventReader) readField(ev *event, line []byte, whole bool) error {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch {
	case string(name) == "data":
		if e.hasData {
			_, _ = e.data.Write([]byte{'\n'}) // never fails
		}
		e.hasData = true
		_, _ = e.data.Write(value)
		if err := e.readRest(e.data, whole); err != nil {
			return err
		}
		if e.data.overflow != "" {
			return errTooLong
		}
	case !whole:
		return e.readRest(io.Discard, false)
	case string(name) == "event":
		ev.name = string(value)
	case string(name) == "id" && isHeaderValue(value):
		ev.id = string(value)
	case string(name) == "retry":
		ev.retry = string(value)
	}
	return nil
}

// isHeaderValue reports whether an id can be sent back in a header.
func isHeaderValue(id []byte) bool {
	return !bytes.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// readRest reads the rest of a line into dst.
func (e *eventReader) readRest(dst io.Writer, whole bool) error {
	for !whole {
		var piece []byte
		var err error
		if piece, whole, err = e.readPiece(); !nilOrEOF(err) {
			return err
		}
		if _, err := dst.Write(piece); err != nil {
			return err
		}
		if e.data.overflow != "" {
			return errTooLong
		}
	}
	return nil
}

// skipEvent skips the rest of a line, and of its event.
func (e *eventReader) skipEvent() error {
	for whole := !e.midLine; ; {
		piece, ended, err := e.readPiece()
		if err != nil {
			return err
		}
		if whole && ended && len(piece) == 0 {
			return nil
		}
		whole = ended
	}
}

// readPiece reads a line without its end, or as much of it as is read at once. A carriage
// return alone does not end a line.
func (e *eventReader) readPiece() (piece []byte, whole bool, err error) {
	piece, err = e.src.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		if piece[len(piece)-1] == '\r' { // the line may end here
			piece, err = piece[:len(piece)-1], e.src.UnreadByte()
		} else {
			err = nil
		}
	} else {
		piece, whole = bytes.TrimSuffix(bytes.TrimSuffix(piece, []byte{'\n'}), []byte{'\r'}), true
	}
	e.midLine = !whole
	if !e.started {
		piece, e.started = bytes.TrimPrefix(piece, []byte("\uFEFF")), true
	}
	return piece, whole, err
}

// appendEvent appends ev, whose data is one line, to dst.
func appendEvent(dst []byte, ev event) []byte {
	for _, f := range []struct{ name, value string }{{"event", ev.name}, {"id", ev.id}, {"retry", ev.retry}} {
		if f.value != "" {
			dst = append(append(append(append(dst, f.name...), ": "...), f.value...), '\n')
		}
	}
	if len(ev.data) > 0 {
		dst = append(append(append(dst, "data: "...), ev.data...), '\n')
	}
	return append(dst, '\n')
}
