package main

import (
	"fmt"
	"io"
	"strconv"

	"mcp-aggregator/bench/payload"
)

// pipeSize is what a pipe of Linux holds unless it is told otherwise, in bytes.
const pipeSize = 64 << 10

// lines are calls that are ready to be written: only their ids change.
type lines struct {
	text   []byte
	ends   []int // of each line in text
	ids    []int // where each line's id stands
	period int   // how many differ, by their tools' prefixes
	room   int   // how many can be written at once
	turn   int   // which is the next
}

// prepare makes lines for up to that many calls at once, whose tools' names have
// the prefixes in turn.
func prepare(l load, count int, prefixes ...string) *lines {
	tool, argument := "x", payload.Plain(l.Size)
	if l.Payload == code {
		tool, argument = "code", payload.Code(l.Size)
	}
	const head = `{"jsonrpc":"2.0","id":`
	tail := func(prefix string) string {
		return fmt.Sprintf(`,"method":"tools/call","params":{"name":"%s%s%d","arguments":{"p":"%s"}}}`+"\n", prefix, tool, l.Size, argument)
	}
	b := &lines{period: len(prefixes), room: max(1, min(count, pipeSize/len(tail(""))))}
	for i := range b.room + b.period - 1 {
		b.ids = append(b.ids, len(b.text)+len(head))
		b.text = append(b.text, head...)
		b.text = strconv.AppendInt(b.text, firstID, 10)
		b.text = append(b.text, tail(prefixes[i%b.period])...)
		b.ends = append(b.ends, len(b.text))
	}
	return b
}

// write writes count calls, the first of which has that id.
func (b *lines) write(w io.Writer, id, count int) error {
	for count > 0 {
		n := min(count, b.room)
		if _, err := w.Write(b.number(id, n)); err != nil {
			return err
		}
		b.turn = (b.turn + n) % b.period
		id, count = id+n, count-n
	}
	return nil
}

// number returns the next n lines, with ids from id.
func (b *lines) number(id, n int) []byte {
	start := 0
	if b.turn > 0 {
		start = b.ends[b.turn-1]
	}
	for i := range n {
		strconv.AppendInt(b.text[:b.ids[b.turn+i]], int64(id+i), 10)
	}
	return b.text[start:b.ends[b.turn+n-1]]
}
