package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// event is one server-sent event (HTML, 9.2). Comments and unknown fields are gone.
type event struct {
	name, id, retry string
	data            []byte // valid until the next event is read
	excess          string // why data is only its beginning
}

// lineSize is the most that is read at once, and the longest line of a field other
// than data: a longer one is ignored.
const lineSize = 16 << 10

// events reads the events of one stream. Of a line it holds no more than lineSize;
// what is data goes into a buffer.
type events struct {
	src    *bufio.Reader
	data   *buffer
	begun  bool // a line was read
	said   bool // the event under way has a line of data
	cut    bool // the last event was too long, and is not read to its end
	within bool // what was read last is not the end of a line
}

// errTooLong ends an event whose data is too long: its own end may never come.
var errTooLong = errors.New("an event is too long")

// next returns the next event that says something. The last one of a stream may lack
// the empty line behind it: servers forget it. One that was cut off in the middle is
// no JSON.
func (e *events) next() (event, error) {
	var ev event
	e.data.reset()
	e.said = false
	if e.cut {
		if err := e.skip(); err != nil {
			return event{}, err
		}
		e.cut = false
	}
	for {
		line, whole, err := e.piece()
		if len(line) > 0 && ended(err) {
			err = errors.Join(err, e.field(&ev, line, whole))
		}
		switch {
		case errors.Is(err, errTooLong):
			e.cut = true
			return e.complete(ev), nil
		case !ended(err):
			return event{}, err
		case err != nil && e.said: // the next reading meets the end again
			return e.complete(ev), nil
		case err != nil:
			return event{}, err
		case len(line) == 0 && (e.said || ev.id != "" || ev.retry != ""):
			return e.complete(ev), nil
		}
	}
}

// ended reports whether an error is none, or the end of the stream.
func ended(err error) bool { return err == nil || errors.Is(err, io.EOF) }

func (e *events) complete(ev event) event {
	ev.data, ev.excess = e.data.bytes, e.data.excess
	return ev
}

// field adds a line to the event; of a long one it is the first piece.
func (e *events) field(ev *event, line []byte, whole bool) error {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch {
	case string(name) == "data":
		if e.said {
			_, _ = e.data.Write([]byte{'\n'}) // it always succeeds
		}
		e.said = true
		_, _ = e.data.Write(value)
		if err := e.rest(e.data, whole); err != nil {
			return err
		}
		if e.data.excess != "" {
			return errTooLong
		}
	case !whole:
		return e.rest(io.Discard, false)
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

// rest reads the rest of a line into dst.
func (e *events) rest(dst io.Writer, whole bool) error {
	for !whole {
		var piece []byte
		var err error
		if piece, whole, err = e.piece(); !ended(err) {
			return err
		}
		if _, err := dst.Write(piece); err != nil {
			return err
		}
		if e.data.excess != "" {
			return errTooLong
		}
	}
	return nil
}

// skip reads past the rest of a line, and of its event.
func (e *events) skip() error {
	for whole := !e.within; ; {
		piece, ended, err := e.piece()
		if err != nil {
			return err
		}
		if whole && ended && len(piece) == 0 {
			return nil
		}
		whole = ended
	}
}

// piece reads a line without its end, or as much of it as is read at once. A carriage
// return alone ends none.
func (e *events) piece() (piece []byte, whole bool, err error) {
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
	e.within = !whole
	if !e.begun {
		piece, e.begun = bytes.TrimPrefix(piece, []byte("\uFEFF")), true
	}
	return piece, whole, err
}

// appendEvent writes ev; its data is one line.
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
