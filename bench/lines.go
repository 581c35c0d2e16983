package main

import (
	"fmt"
	"io"
	"strconv"

	"mcp-aggregator/bench/payload"
)

// pipeSize is the default capacity of a pipe on Linux, in bytes.
const pipeSize = 64 << 10

// lines holds encoded calls: only their ids change.
type lines struct {
	text   []byte
	ends   []int // end of each line in text
	ids    []int // offset of each line's id
	period int   // number of different lines, one per prefix
	room   int   // number of lines that can be written at once
	turn   int   // index of the next line
}

// prepare returns lines for up to that many calls at once, cycling through the prefixes
// of tools' names.
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

// write writes count calls with ids starting at id.
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

// number returns the next n lines, with ids starting at id.
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
