package wire_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/modules/wire"
)

func TestALineOfMoreThanTheLimitIsDroppedAndNothingElse(t *testing.T) {
	const limit = 100_000
	line := func(size int) string { return strings.Repeat("x", size) }
	tests := []struct {
		name string
		data string
		want []readLine
	}{
		{"exactly the limit", line(limit) + "\nb\n", []readLine{{line: line(limit)}, {line: "b"}}},
		{"one byte more", line(limit+1) + "\nb\n", []readLine{{dropped: limit + 1}, {line: "b"}}},
		{"far more", line(50*limit) + "\nb\n", []readLine{{dropped: 50 * limit}, {line: "b"}}},
		{"the limit without a newline", line(limit), []readLine{{line: line(limit)}}},
		{"one byte more without a newline", "a\n" + line(limit+1), []readLine{{line: "a"}, {dropped: limit + 1}}},
		{"far more without a newline", line(50 * limit), []readLine{{dropped: 50 * limit}}},
		{"two in a row", line(2*limit) + "\n" + line(3*limit) + "\n\nb", []readLine{{dropped: 2 * limit}, {dropped: 3 * limit}, {}, {line: "b"}}},
		{"a carriage return counts", line(limit) + "\r\nb\r\n", []readLine{{dropped: limit + 1}, {line: "b\r"}}},
	}
	for _, test := range tests {
		for _, size := range []int{977, 4096, limit, limit + 1, len(test.data)} {
			for _, together := range []bool{false, true} {
				src := &source{chunks: cutAt([]byte(test.data), []int{size}), err: io.EOF, together: together}
				if got := readAll(t, src, []byte(test.data), limit); !slices.Equal(got, test.want) {
					t.Errorf("%s, %d bytes a read, error with the last bytes %v: wrong lines", test.name, size, together)
				}
			}
		}
	}
}

func TestTheErrorOfADroppedLineHasItsLength(t *testing.T) {
	r := wire.NewReader(strings.NewReader("12345\nb"), 4)
	_, err := r.ReadLine()
	if want := (wire.TooLongError{Size: 5, Limit: 4}); err == nil || *must[*wire.TooLongError](t, err) != want {
		t.Fatalf("%v, want %+v", err, want)
	}
	if got, want := err.Error(), "message of 5 bytes exceeds the limit of 4 bytes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// must returns the error of type E in err.
func must[E error](t fatal, err error) E {
	t.Helper()
	found, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("%v is no %T", err, found)
	}
	return found
}

func TestWithoutALimitLargeLinesPass(t *testing.T) {
	const size = 3 << 20
	for _, limit := range []int{0, -1} {
		r := wire.NewReader(strings.NewReader(strings.Repeat("x", size)+"\n"), limit)
		if line, err := r.ReadLine(); len(line) != size || err != nil {
			t.Errorf("limit %d: %d bytes, %v", limit, len(line), err)
		}
	}
	if wire.DefaultMaxLine != 256<<20 {
		t.Errorf("the default admits %d bytes", wire.DefaultMaxLine)
	}
}

// small is the most memory that a Reader may keep between lines. The size of its reads
// shows how much it has.
const small = 128 << 10

func TestTheMemoryOfALargeLineIsReleasedBeforeTheNextRead(t *testing.T) {
	large := strings.Repeat("x", 4<<20)
	tests := map[string][][]byte{
		"nothing after it":          {[]byte(large), []byte("\n"), []byte("b\n")},
		"part of a line after it":   {[]byte(large), []byte("\nb"), []byte("c\n")},
		"whole lines after it":      {[]byte(large), []byte("\nb\nc\n"), []byte("d\n")},
		"another large line before": {[]byte(large + "\n" + large), []byte("\nb\n"), []byte("c\n")},
	}
	for name, chunks := range tests {
		t.Run(name, func(t *testing.T) {
			src := &source{chunks: chunks, err: io.EOF}
			r := wire.NewReader(src, 0)
			for range slowLines(slices.Concat(chunks...), wire.DefaultMaxLine) {
				if _, err := r.ReadLine(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := r.ReadLine(); !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if src.largest <= small || src.asked > small {
				t.Errorf("room for %d bytes is kept of %d", src.asked, src.largest)
			}
		})
	}
}

func TestADroppedLineIsNeverBufferedAsAWhole(t *testing.T) {
	data := strings.Repeat("x", 8<<20) + "\nb\n"
	src := &source{chunks: cutAt([]byte(data), []int{60_000}), err: io.EOF}
	r := wire.NewReader(src, 1000)
	if _, err := r.ReadLine(); must[*wire.TooLongError](t, err).Size != 8<<20 {
		t.Error(err)
	}
	if line, err := r.ReadLine(); string(line) != "b" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	if src.largest > small {
		t.Errorf("room for %d bytes", src.largest)
	}
}

func TestSmallLinesDoNotAllocate(t *testing.T) {
	r := wire.NewReader(&endless{line: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")}, 0)
	if n := testing.AllocsPerRun(5, func() {
		for range 10_000 {
			if _, err := r.ReadLine(); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations for many lines", n)
	}
}

// endless repeats one line forever, in reads of any size.
type endless struct {
	line []byte
	at   int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		copied := copy(p[n:], e.line[e.at:])
		n, e.at = n+copied, (e.at+copied)%len(e.line)
	}
	return n, nil
}
