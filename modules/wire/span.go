package wire

// Span is the half-open range [Start, End) of a line that holds one JSON value.
// A value has at least one byte, so the zero Span means that there is none.
type Span struct{ Start, End int }

// Present reports whether the span holds a value.
func (s Span) Present() bool { return s.End > s.Start }

// Of returns the bytes of line that the span covers, nil when it is absent.
// Appending to them never overwrites the line.
func (s Span) Of(line []byte) []byte {
	if !s.Present() {
		return nil
	}
	return line[s.Start:s.End:s.End]
}
