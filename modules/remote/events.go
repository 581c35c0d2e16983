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
	data            []byte
	cut             bool // it was longer than the limit: data is its beginning
}

// events reads the events of one stream.
type events struct {
	src   *bufio.Reader
	limit int    // bytes of an event
	line  []byte // the one under way
	cut   bool   // the rest of it was too long
	first bool   // no line was read yet
}

func newEvents(src io.Reader, limit int) *events {
	return &events{src: bufio.NewReaderSize(src, 16<<10), limit: limit, first: true}
}

// next returns the next event that says something. The last one of a stream may lack
// the empty line behind it: servers forget it. One that was cut off in the middle is
// no JSON.
func (e *events) next() (event, error) {
	var ev event
	var said bool // a line of data was there
	for {
		err := e.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return event{}, err
		}
		if len(e.line) > 0 {
			said = e.field(&ev, said) || said
		} else if err == nil && (said || ev.id != "" || ev.retry != "") {
			return ev, nil
		}
		if err != nil {
			if said {
				return ev, nil // the next reading meets the end again
			}
			return event{}, err
		}
	}
}

// field adds a line to ev; it reports whether it was one of data.
func (e *events) field(ev *event, said bool) bool {
	name, value, _ := bytes.Cut(e.line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "event":
		ev.name = string(value)
	case "id":
		ev.id = string(value)
	case "retry":
		ev.retry = string(value)
	case "data":
		if said && len(ev.data) < e.limit {
			ev.data = append(ev.data, '\n')
		} else if said {
			ev.cut = true
		}
		room := max(0, e.limit-len(ev.data))
		ev.cut = ev.cut || e.cut || len(value) > room
		value = value[:min(len(value), room)]
		if !said && len(value) > keptLine { // not copied
			ev.data, e.line = value, nil
			return true
		}
		ev.data = append(ev.data, value...)
		return true
	}
	return false
}

// readLine reads one line into e.line, without its end and no more of it than the
// limit and a name.
func (e *events) readLine() error {
	e.line, e.cut = e.line[:0], false
	if cap(e.line) > keptLine {
		e.line = nil
	}
	for {
		piece, err := e.src.ReadSlice('\n')
		room := max(0, e.limit+len("data: \r\n")-len(e.line))
		e.cut = e.cut || len(piece) > room
		e.line = append(e.line, piece[:min(len(piece), room)]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		e.line = bytes.TrimSuffix(bytes.TrimSuffix(e.line, []byte{'\n'}), []byte{'\r'})
		if e.first {
			e.line, e.first = bytes.TrimPrefix(e.line, []byte("\uFEFF")), false
		}
		return err
	}
}

// keptLine is how large a buffer is kept for the next line.
const keptLine = 64 << 10

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
