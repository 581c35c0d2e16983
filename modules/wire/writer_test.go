package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
)

// sink records what is written to it and fails from one write on.
type sink struct {
	bytes.Buffer
	writes   int
	failFrom int // the number of the first write that fails, from 1; 0 for none
}

var errSink = errors.New("the peer is gone")

func (s *sink) Write(p []byte) (int, error) {
	s.writes++
	if s.failFrom > 0 && s.writes >= s.failFrom {
		return 0, errSink
	}
	return s.Buffer.Write(p)
}

// large returns a part that is too large to copy, with a beginning and an end.
func large(mark string) []byte {
	return []byte("<" + mark + strings.Repeat("x", 64<<10) + mark + ">")
}

func isBroken(w *wire.Writer) bool {
	select {
	case <-w.Broken():
		return true
	default:
		return false
	}
}

func TestWhatIsWrittenArrivesInOrder(t *testing.T) {
	const direct = 32 << 10 // parts of at least that size are not copied
	size := rapid.OneOf(rapid.IntRange(0, 50), rapid.IntRange(direct-2, direct+2), rapid.IntRange(2*direct-2, 2*direct+2), rapid.Just(200_000))
	rapid.Check(t, func(t *rapid.T) {
		var dst sink
		var want bytes.Buffer
		w := wire.NewWriter(&dst)
		for i, sizes := range rapid.SliceOfN(rapid.SliceOfN(size, 0, 5), 0, 10).Draw(t, "lines") {
			var parts [][]byte
			for j, size := range sizes {
				parts = append(parts, bytes.Repeat([]byte{byte('a' + (5*i+j)%26)}, size))
			}
			want.Write(append(bytes.Join(parts, nil), '\n'))
			if err := w.WriteLine(parts...); err != nil {
				t.Fatal(err)
			}
			for _, part := range parts {
				clear(part) // WriteLine does not retain the parts
			}
			if rapid.Bool().Draw(t, "flush") {
				flushed(t, w)
			}
		}
		flushed(t, w)
		if !bytes.Equal(dst.Bytes(), want.Bytes()) {
			t.Fatalf("%d bytes arrived, want %d in the order of the calls", dst.Len(), want.Len())
		}
	})
}

func flushed(t fatal, w *wire.Writer) {
	t.Helper()
	if err := w.Flush(); err != nil {
		t.Fatalf("flush: %v", err)
	}
}

func TestSmallLinesAreWrittenTogether(t *testing.T) {
	var dst sink
	w := wire.NewWriter(&dst)
	flushed(t, w)
	for range 1000 {
		if err := w.WriteLine([]byte("a"), []byte("b")); err != nil {
			t.Fatal(err)
		}
	}
	if dst.writes != 0 {
		t.Errorf("%d writes before Flush", dst.writes)
	}
	flushed(t, w)
	flushed(t, w)
	if want := strings.Repeat("ab\n", 1000); dst.writes != 1 || dst.String() != want {
		t.Errorf("%d writes of %d bytes, want one of %d", dst.writes, dst.Len(), len(want))
	}
}

func TestLinesThatDoNotFitAreWrittenWithoutFlush(t *testing.T) {
	var dst sink
	w := wire.NewWriter(&dst)
	for range 10_000 {
		if err := w.WriteLine([]byte("0123456789")); err != nil {
			t.Fatal(err)
		}
	}
	if dst.writes == 0 || dst.writes > 10 {
		t.Errorf("%d writes for 110,000 bytes", dst.writes)
	}
}

func TestLinesOfManyGoroutinesNeverInterleave(t *testing.T) {
	const writers, lines = 8, 200
	var dst sink
	w := wire.NewWriter(&dst)
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for i := range lines {
				middle := []byte("-")
				if (i+writer)%50 == 0 {
					middle = large("|")
				}
				_ = w.WriteLine(fmt.Appendf(nil, "%d %d ", writer, i), middle, []byte(" end")) // seen below
				if i%7 == 0 {
					_ = w.Flush() // seen below
				}
			}
		})
	}
	all.Wait()
	flushed(t, w)
	checkWritten(t, dst.String(), writers, lines)
}

// checkWritten checks that text contains all lines of each writer, whole and in order.
func checkWritten(t *testing.T, text string, writers, lines int) {
	t.Helper()
	count := make([]int, writers)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 4 || fields[3] != "end" {
			t.Fatalf("torn line %.99q", line)
		}
		if middle := fields[2]; middle != "-" && middle != string(large("|")) {
			t.Fatalf("torn part of %d bytes: %.99q", len(middle), middle)
		}
		writer := int(line[0] - '0')
		if want := fmt.Sprint(writer, " ", count[writer], " "); !strings.HasPrefix(line, want) {
			t.Fatalf("line %.9q, want %q", line, want)
		}
		count[writer]++
	}
	for writer, n := range count {
		if n != lines {
			t.Errorf("%d lines of writer %d, want %d", n, writer, lines)
		}
	}
}

func TestTheFirstErrorIsPermanent(t *testing.T) {
	tests := []struct {
		name     string
		failFrom int
		parts    [][]byte
		arrived  string
	}{
		{"in a flush", 1, [][]byte{[]byte("a")}, ""},
		{"in a large part", 1, [][]byte{large("a"), []byte("b")}, ""},
		{"in a large part after a small one", 1, [][]byte{[]byte("a"), large("b"), []byte("c")}, ""},
		{"in the second large part", 2, [][]byte{large("a"), large("b"), []byte("c")}, ("before\n" + string(large("a")))[:64<<10]},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dst := sink{failFrom: test.failFrom}
			w := wire.NewWriter(&dst)
			if err := w.WriteLine([]byte("before")); err != nil || isBroken(w) {
				t.Fatalf("%v, broken %v before anything is written", err, isBroken(w))
			}
			_ = w.WriteLine(test.parts...) // buffered parts fail at the next flush
			if err := w.Flush(); !errors.Is(err, errSink) || !isBroken(w) {
				t.Fatalf("%v, broken %v", err, isBroken(w))
			}
			dst.failFrom = 0 // writes would succeed again
			for range 10 {
				if err := w.WriteLine([]byte("c"), large("d")); !errors.Is(err, errSink) {
					t.Errorf("line: %v", err)
				}
				if err := w.Flush(); !errors.Is(err, errSink) {
					t.Errorf("flush: %v", err)
				}
			}
			if dst.writes != test.failFrom || dst.String() != test.arrived {
				t.Errorf("%d writes, %.20q arrived, want %d, %.20q", dst.writes, dst.String(), test.failFrom, test.arrived)
			}
		})
	}
}

func TestManyGoroutinesBreakAWriterOnce(t *testing.T) {
	dst := sink{failFrom: 1}
	w := wire.NewWriter(&dst) // closing Broken twice would panic
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if err := w.WriteLine(large("a")); !errors.Is(err, errSink) {
					t.Errorf("line: %v", err)
				}
			}
		})
	}
	<-w.Broken()
	all.Wait()
	if dst.writes != 1 {
		t.Errorf("%d writes", dst.writes)
	}
}

func TestAPeerThatDoesNotReadBlocksWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, write := io.Pipe()
		w := wire.NewWriter(write)
		result := make(chan error, 1)
		go func() { result <- w.WriteLine(large("a")) }()
		synctest.Wait()
		if len(result) > 0 || isBroken(w) {
			t.Fatalf("written: %v, broken: %v", len(result) > 0, isBroken(w))
		}
		_ = read.Close() // the peer is gone
		if err := <-result; !errors.Is(err, io.ErrClosedPipe) || !isBroken(w) {
			t.Errorf("%v, broken %v", err, isBroken(w))
		}
	})
}

func TestSmallPartsDoNotAllocate(t *testing.T) {
	w := wire.NewWriter(io.Discard)
	a, b, c := []byte(`{"jsonrpc":"2.0","id":`), []byte("1"), []byte(`,"result":{}}`)
	if n := testing.AllocsPerRun(10_000, func() { _ = w.WriteLine(a, b, c) }); n != 0 {
		t.Errorf("%v allocations a line", n)
	}
}
