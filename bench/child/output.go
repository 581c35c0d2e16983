package main

import "os"

// result is an encoded result, with room before it for the beginning of the line, so that
// large results are not copied.
type result struct{ text []byte }

const (
	room  = 64 // bytes reserved before a result
	large = 16 << 10
)

func prepare(value string) *result {
	text := make([]byte, room, room+len(value)+len(`,"result":}`)+1)
	text = append(text, `,"result":`...)
	text = append(text, value...)
	return &result{append(text, "}\n"...)}
}

// line returns the answer to the request with the given id. It is valid until the next
// call.
func (r *result) line(id []byte) []byte {
	const head = `{"jsonrpc":"2.0","id":`
	start := room - len(head) - len(id)
	copy(r.text[start:], head)
	copy(r.text[start+len(head):], id)
	return r.text[start:]
}

// output buffers small lines and writes large ones directly. It only writes complete
// lines.
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
			_ = o.flush() // the last flush returns the error
		}
		return
	}
	_ = o.flush()
	o.write(line)
}

// flush writes the buffered lines, and returns the first error of any write.
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
