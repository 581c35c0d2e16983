// Package payload generates the data that benchmarks send and receive: plain text, and
// text as tools return it. It is the same in every run.
package payload

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Plain returns the given number of bytes inside a JSON string, without escapes.
func Plain(size int) string { return strings.Repeat("x", size) }

// source holds lines of programs as encoded inside a JSON string. Their order is random,
// so that branch predictors cannot learn it.
var source = []string{
	`func (s *Server) handle(ctx context.Context, r *Request) error {\n`,
	`\tif err := s.store.Put(ctx, r.Key, r.Value); err != nil {\n`,
	`\t\treturn fmt.Errorf(\"put %q: %w\", r.Key, err)\n`,
	`\t}\n`,
	`}\n\n`,
	`\tfor i, v := range values {\n`,
	`\t\tsum += v * weights[i] // \"weighted\"\n`,
	`export const get = async (id: string) => {\n`,
	`\tconst answer = await fetch(\"/api/items/\" + id, { \"method\": \"GET\" });\n`,
	`\treturn answer.ok ? answer.json() : null;\n`,
	`};\n`,
	`import { readFile } from \"node:fs/promises\";\n`,
	`\tname\t= \"C:\\\\Program Files\\\\tool\"\n`,
	`// Größe in Bytes → see \"limits\"\n`,
}

// Code returns at least that many bytes of source code inside a JSON string, with many
// escapes.
func Code(size int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(source[random.IntN(len(source))])
	}
	return b.String()
}

// Items returns a JSON array of at least that many bytes, with many small members.
func Items(size int) string {
	random := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteByte('[')
	for b.Len() < size {
		n := random.IntN(1_000_000)
		fmt.Fprintf(&b, `{"id":%d,"path":"src/%x.go","size":%d.5,"dir":%t,"tags":["a",null],"owner":{"name":"n%d"}},`, n, n, n%4096, n%2 == 0, n%17)
	}
	b.WriteString("{}]")
	return b.String()
}

// Result returns the result of a tool call with that many bytes: either Plain or, with
// code, half Code and half Items.
func Result(code bool, size int) string {
	if !code {
		return `{"content":[{"type":"text","text":"` + Plain(size) + `"}]}`
	}
	return `{"content":[{"type":"text","text":"` + Code(size/2) + `"}],"structuredContent":{"items":` + Items(size/2) + `}}`
}
