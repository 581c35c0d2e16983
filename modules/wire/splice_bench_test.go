package wire_test

import (
	"strings"
	"testing"

	"mcp-aggregator/modules/wire"
)

func BenchmarkSplice(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a:b","arguments":{"x":"` + strings.Repeat("x", 100) + `"}}}`)
	var m wire.Message
	if err := new(wire.Scanner).Scan(line, &m); err != nil {
		b.Fatal(err)
	}
	w := wire.NewWriter(discard{})
	id, name := []byte("7"), []byte(`"b"`)
	b.ReportAllocs()
	for b.Loop() {
		parts := m.Parts(id, name)
		_ = w.WriteLine(parts[:]...) // the sink takes everything
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
