package wire_test

import (
	"testing"

	"mcp-aggregator/modules/wire"
)

func TestSpanZeroIsAbsent(t *testing.T) {
	var none wire.Span
	if none.Present() {
		t.Error("the zero span is present")
	}
	if got := none.Of([]byte("line")); got != nil {
		t.Errorf("the zero span of a line is %q, want nil", got)
	}
}

func TestSpanOfIsTheBytesOfTheLine(t *testing.T) {
	line := []byte("abcdef")
	span := wire.Span{Start: 1, End: 3}
	if !span.Present() || string(span.Of(line)) != "bc" {
		t.Errorf("got %q, want bc", span.Of(line))
	}
}

func TestAppendingToASpanLeavesTheLineAlone(t *testing.T) {
	line := []byte("abcdef")
	_ = append(wire.Span{Start: 1, End: 3}.Of(line), 'X')
	if string(line) != "abcdef" {
		t.Errorf("the line became %q", line)
	}
}
