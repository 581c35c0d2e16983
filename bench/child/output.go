package main

import "os"

// result is a result that is ready to be written, with room before it for the
// beginning of the line, so that large ones are never copied.
type result struct{ text []byte }

const (
	room  = 64 // bytes for what stands before a result
	large = 16 << 10
)

func prepare(value string) *result {
	text := make([]byte, room, room+len(value)+len(`,"result":}`)+1)
	text = append(text, `,"result":`...)
	text = append(text, value...)
	return &result{append(text, "}\n"...)}
}

// line is the answer to the request of that id, until the next call.
func (r *result) line(id []byte) []byte {
	const head = `{"jsonrpc":"2.0","id":`
	start := room - len(head) - len(id)
	copy(r.text[start:], head)
	copy(r.text[start+len(head):], id)
	return r.text[start:]
}

// output gathers small lines and writes large ones as they are. It writes whole
// lines only.
type output struct {
	file    *os.File
	waiting []byte
	err     error // the first
}

func (o *output) reply(id []byte, r *result) {
	line := r.line(id)
	if len(line) < large {
		o.waiting = append(o.waiting, line...)
		if len(o.waiting) >= 2*large {
			_ = o.flush() // the last one tells of an error
		}
		return
	}
	_ = o.flush()
	o.write(line)
}

// flush writes what waits, and returns the first error that any write met.
func (o *output) flush() error {
	if len(o.waiting) > 0 {
		o.write(o.waiting)
		o.waiting = o.waiting[:0]
	}
	return o.err
}

func (o *output) write(text []byte) {
	if _, err := o.file.Write(text); err != nil && o.err == nil {
		o.err = err
	}
}
