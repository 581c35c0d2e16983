package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
)

// source returns at most one chunk a read and then err. An empty chunk is a read of
// zero bytes.
type source struct {
	chunks   [][]byte
	err      error
	together bool // the last read returns err, too

	over    bool // err has been returned
	late    int  // reads after that
	reads   int
	given   int // bytes returned
	asked   int // the size of the last read
	largest int // the size of the largest read
}

func (s *source) Read(p []byte) (int, error) {
	s.reads++
	if s.over {
		s.late++
	}
	s.asked, s.largest = len(p), max(s.largest, len(p))
	if len(s.chunks) == 0 {
		s.over = true
		return 0, s.err
	}
	n := copy(p, s.chunks[0])
	if s.chunks[0] = s.chunks[0][n:]; len(s.chunks[0]) == 0 {
		s.chunks = s.chunks[1:]
	}
	s.given += n
	if s.together && len(s.chunks) == 0 {
		s.over = true
		return n, s.err
	}
	return n, nil
}

// cutAt cuts data into chunks of those sizes, repeatedly.
func cutAt(data []byte, sizes []int) (chunks [][]byte) {
	if len(sizes) == 0 {
		sizes = []int{len(data)}
	}
	for i := 0; len(data) > 0; i++ {
		size := min(sizes[i%len(sizes)], len(data))
		if i >= len(sizes) && size == 0 {
			size = 1 // all sizes may be zero
		}
		chunks, data = append(chunks, data[:size]), data[size:]
	}
	return chunks
}

// readLine is the expected result of one ReadLine: a line, or the size of a line that
// is too long.
type readLine struct {
	line    string
	dropped int
}

func (l readLine) size() int { return max(len(l.line), l.dropped) }

// slowLines returns what a Reader must return for data.
func slowLines(data []byte, limit int) (lines []readLine) {
	all := bytes.Split(data, []byte("\n"))
	if len(all[len(all)-1]) == 0 {
		all = all[:len(all)-1]
	}
	for _, line := range all {
		if len(line) > limit {
			lines = append(lines, readLine{dropped: len(line)})
		} else {
			lines = append(lines, readLine{line: string(line)})
		}
	}
	return lines
}

// fatal is what *testing.T and *rapid.T have in common.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// next calls ReadLine once; ok is false at the end of the source.
func next(t fatal, r *wire.Reader, src *source) (got readLine, ok bool) {
	t.Helper()
	buffered, before := r.Buffered(), src.reads
	line, err := r.ReadLine()
	if buffered && src.reads != before {
		t.Fatalf("Buffered, yet the source was read")
	}
	if tooLong, ok := errors.AsType[*wire.TooLongError](err); ok {
		return readLine{dropped: tooLong.Size}, true
	}
	if err != nil && (!errors.Is(err, src.err) || line != nil) {
		t.Fatalf("line %q and error %v, want the source's %v alone", line, err, src.err)
	}
	if len(line) != cap(line) {
		t.Fatalf("appending to %q would overwrite what follows", line)
	}
	return readLine{line: string(line)}, err == nil
}

// readAll reads every line of data through src.
func readAll(t fatal, src *source, data []byte, limit int) (lines []readLine) {
	t.Helper()
	r, at := wire.NewReader(src, limit), 0
	for {
		line, ok := next(t, r, src)
		if !ok {
			break
		}
		lines = append(lines, line)
		at = min(at+line.size()+1, len(data))
		want := bytes.IndexByte(data[at:max(at, src.given)], '\n') >= 0
		if got := r.Buffered(); got != want {
			t.Fatalf("Buffered is %v after %d of %d bytes that were read", got, at, src.given)
		}
	}
	if line, ok := next(t, r, src); ok {
		t.Fatalf("%v after the end", line)
	}
	if src.late > 0 {
		t.Fatalf("the source was read after its error")
	}
	return lines
}

func checkReader(t fatal, src *source, data []byte, limit int) {
	t.Helper()
	want := slowLines(data, limit)
	got := readAll(t, src, data, limit)
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("%d lines, want %d", len(got), len(want))
		case i >= len(want) || got[i] != want[i]:
			t.Fatalf("line %d of %d is %.99q (%d bytes dropped), want %d lines", i, len(got), got[i].line, got[i].dropped, len(want))
		}
	}
}

// stretch turns a few bytes into lines that span many reads: each of the first four 'L'
// becomes many bytes.
func stretch(data []byte) []byte {
	return bytes.Replace(data, []byte("L"), bytes.Repeat([]byte("0123456789"), 20_000), 4)
}

var errSource = errors.New("the source is broken")

func TestLinesAreTheSameWhereverTheSourceIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-cL]{0,4}\r?\n?){0,12}`).Draw(t, "text")
		data := stretch([]byte(text))
		size := rapid.OneOf(rapid.IntRange(0, 6), rapid.SampledFrom([]int{4095, 65_535, 65_536, 300_000}))
		limit := rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(199_990, 200_010), rapid.Just(1<<30))
		src := &source{
			chunks:   cutAt(data, rapid.SliceOfN(size, 0, 5).Draw(t, "sizes")),
			err:      rapid.SampledFrom([]error{io.EOF, errSource}).Draw(t, "error"),
			together: rapid.Bool().Draw(t, "together"),
		}
		// One byte a read is slow enough without large lines.
		if len(src.chunks) > 5_000 {
			src.chunks = cutAt(data, []int{1, 70_000})
		}
		checkReader(t, src, data, limit.Draw(t, "limit"))
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb\n"), []byte{1}, 10, true)
	f.Add([]byte("\n\nabc\nLb\nc"), []byte{3, 0, 250}, 3, false)
	f.Add([]byte("L\nLL\r\nL"), []byte{255}, 200_000, true)
	f.Fuzz(func(t *testing.T, data, cuts []byte, limit int, together bool) {
		data = stretch(data)
		var sizes []int
		for _, cut := range cuts {
			size := int(cut)
			if cut > 200 || len(data) > 10_000 {
				size = 1000 * (size + 1)
			}
			sizes = append(sizes, size)
		}
		src := &source{chunks: cutAt(data, sizes), err: io.EOF, together: together}
		checkReader(t, src, data, max(limit, 1))
	})
}

func TestALineIsReturnedAsSoonAsItsNewlineArrives(t *testing.T) {
	src := &source{chunks: [][]byte{[]byte("a"), []byte("b\nc"), []byte("d\n")}, err: io.EOF}
	r := wire.NewReader(src, 0)
	for _, want := range []struct {
		line  string
		reads int
	}{{"ab", 2}, {"cd", 3}} {
		if line, err := r.ReadLine(); string(line) != want.line || err != nil || src.reads != want.reads {
			t.Errorf("%q, %v after %d reads, want %q after %d", line, err, src.reads, want.line, want.reads)
		}
	}
}

func TestTheSourceIsNotReadAfterItsError(t *testing.T) {
	for _, together := range []bool{false, true} {
		src := &source{chunks: [][]byte{[]byte("a\nb")}, err: errSource, together: together}
		r := wire.NewReader(src, 0)
		for _, want := range []string{"a", "b"} {
			if line, err := r.ReadLine(); string(line) != want || err != nil {
				t.Fatalf("%q, %v, want %q before the error", line, err, want)
			}
		}
		_, err := r.ReadLine()
		src.chunks = [][]byte{[]byte(strings.Repeat("more\n", 3))}
		for range 3 {
			if line, again := r.ReadLine(); !errors.Is(err, errSource) || !errors.Is(again, errSource) || line != nil || src.late > 0 {
				t.Fatalf("%v, then %q, %v after %d further reads", err, line, again, src.late)
			}
		}
	}
}
