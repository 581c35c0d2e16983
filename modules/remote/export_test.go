package remote

import (
	"bufio"
	"io"
	"math"
)

// Event is an event as it was read.
type Event struct {
	Name, ID, Retry, Data string
	Cut                   bool
}

// ReadEvents reads all events of src.
func ReadEvents(src io.Reader, limit int) (read []Event) {
	events := &events{src: bufio.NewReaderSize(src, lineSize), data: &buffer{limit: limit, memory: newMemory(math.MaxInt)}}
	for {
		ev, err := events.next()
		if err != nil {
			return read
		}
		read = append(read, Event{ev.name, ev.id, ev.retry, string(ev.data), ev.excess != ""})
	}
}
