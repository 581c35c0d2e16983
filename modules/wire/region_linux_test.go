package wire_test

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"mcp-aggregator/modules/wire"
)

// resident returns the resident set size of this process, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	figures, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(figures))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func TestManyReadersOfLargeLinesKeepLittle(t *testing.T) {
	const readers, size = 60, 2 << 20
	large := append(bytes.Repeat([]byte("x"), size), '\n')
	kept := make([]*wire.Reader, readers)
	for round := range 2 { // the first round fills Go's heap
		before := resident(t)
		for i := range kept {
			more, _ := io.Pipe() // never returns anything
			kept[i] = wire.NewReader(io.MultiReader(bytes.NewReader(large), strings.NewReader("small\n"), strings.NewReader("end\n"), more), 0)
			for range 3 {
				if _, err := kept[i].ReadLine(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if round == 0 {
			continue
		}
		if grown := resident(t) - before; grown > readers*size/3 {
			t.Errorf("%d readers keep %d MB after a line of %d MB each", readers, grown>>20, size>>20)
		}
	}
}
