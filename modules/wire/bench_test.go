package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-aggregator/modules/wire"
)

// benchLines returns lines as MCP servers and clients send them.
func benchLines() map[string]string {
	call := `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"files_read","arguments":{"a":1}}}`
	item := `{"name":"read_file","description":"Reads a file, \"whole\" or in part.","size":4096.5,` +
		`"tags":["fs",true,null,-1e3],"schema":{"type":"object","required":[]}}`
	result := func(text string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"content":[` + text + `]}}`
	}
	return map[string]string{
		"100B":           call,
		"10KB-mixed":     result(strings.Repeat(item+",", 64) + item),
		"1MB-one-string": result(`"` + strings.Repeat("All happy families. ", 1<<20/20) + `"`),
		"1MB-cyrillic":   result(`"` + strings.Repeat("Все счастливые семьи. ", 1<<20/40) + `"`),
		"1MB-code":       result(`"` + strings.Repeat(`\tif err != nil {\n\t\treturn \"\", err\n\t}\n`, 1<<20/46) + `"`),
		"1MB-members":    result(`{` + strings.Repeat(`"k":1,"key":"value","n":[1,2],`, 1<<20/30) + `"z":0}`),
	}
}

func BenchmarkScan(b *testing.B) {
	for name, line := range benchLines() {
		b.Run(name, func(b *testing.B) {
			var (
				s wire.Scanner
				m wire.Message
			)
			data := []byte(line)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Scan(data, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMember(b *testing.B) {
	object := []byte(`{"content":[{"type":"text","text":"` + strings.Repeat("plain ", 100) + `"}],"last":true}`)
	b.SetBytes(int64(len(object)))
	b.ReportAllocs()
	for b.Loop() {
		if !wire.Member(object, "last").Present() {
			b.Fatal("last is absent")
		}
	}
}

func BenchmarkAppendQuoted(b *testing.B) {
	text := strings.Repeat(fmt.Sprintf("%s\n", "a line of plain text"), 100)
	var dst []byte
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		dst = wire.AppendQuoted(dst[:0], text)
	}
}

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
		_ = w.WriteLine(parts[:]...) // discard never fails
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
