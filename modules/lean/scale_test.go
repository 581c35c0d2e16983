package lean_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/wire"
)

// sets holds the data sets of the search.
const sets = "../search/testdata"

// poolOf reads the tools and servers of a data set.
func poolOf(tb testing.TB, set string) *catalogue {
	tb.Helper()
	c := new(catalogue)
	count := map[string]int{}
	lines(tb, filepath.Join(sets, set, "tools.jsonl.gz"), func(line []byte) {
		var t struct {
			Server, Name, Description string
			InputSchema               json.RawMessage
		}
		if err := json.Unmarshal(line, &t); err != nil {
			tb.Fatal(err)
		}
		count[t.Server]++
		definition := wire.AppendQuoted([]byte(`{"name":`), t.Server+"."+t.Name)
		definition = wire.AppendQuoted(append(definition, `,"description":`...), t.Description)
		definition = append(append(append(definition, `,"inputSchema":`...), t.InputSchema...), '}')
		c.tools = append(c.tools, tool(t.Server+"."+t.Name, string(definition)))
	})
	servers := filepath.Join(sets, set, "servers.jsonl.gz")
	if _, err := os.Stat(servers); err != nil {
		return c // the set does not describe its servers
	}
	lines(tb, servers, func(line []byte) {
		var s struct{ Server, Title, Description string }
		if err := json.Unmarshal(line, &s); err != nil {
			tb.Fatal(err)
		}
		c.servers = append(c.servers, lean.Server{Name: s.Server, Title: s.Title, Description: s.Description, Tools: count[s.Server]})
	})
	return c
}

func lines(tb testing.TB, file string, each func([]byte)) {
	tb.Helper()
	f, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	scanner := bufio.NewScanner(unpacked)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		each(scanner.Bytes())
	}
}

// drawn finds tools at random.
type drawn struct {
	*catalogue

	random *rand.Rand
}

func (d drawn) Search(_ context.Context, _ string, limit int, _ []string) (hits []lean.Hit, _ error) {
	for range limit {
		hits = append(hits, d.tools[d.random.IntN(len(d.tools))])
	}
	return hits, nil
}

// TestTokensOfARegistry measures the figures in docs/lean.md.
func TestTokensOfARegistry(t *testing.T) {
	for _, set := range []string{"scale", "livemcp", "bfcl"} {
		t.Run(set, func(t *testing.T) { measure(t, poolOf(t, set)) })
	}
}

func measure(t *testing.T, c *catalogue) {
	t.Helper()
	full := 0
	var each, eachWithParameters, describes []int
	for _, hit := range c.tools {
		full += len(hit.Definition) + 1
		one := &catalogue{tools: []lean.Hit{hit}}
		size := tokens(len(read(t, call(t, one, string(searchFor(hit.Name))).Result).text()))
		each = append(each, size)
		if lean.Signature(wire.Member(hit.Definition, "inputSchema").Of(hit.Definition)) != "()" {
			eachWithParameters = append(eachWithParameters, size)
		}
		describes = append(describes, tokens(len(hit.Definition)))
	}
	var text, structured []int
	random := drawn{c, rand.New(rand.NewPCG(1, 2))}
	for range 1000 {
		raw := call(t, random, `{"name":"search_tools","arguments":{"query":"x"}}`).Result
		text = append(text, tokens(len(read(t, raw).text())))
		structured = append(structured, tokens(len(wire.Member(raw, "structuredContent").Of(raw))))
	}
	listing := lean.Definitions(c.servers)
	t.Logf("%d tools: all definitions %d tokens, the three %d", len(c.tools), tokens(full), tokens(len(listing.Array())))
	for name, sizes := range map[string][]int{
		"a line": each, "a line of one with parameters": eachWithParameters, "a definition": describes,
		"a search of 8, text": text, "a search of 8, structured": structured,
	} {
		slices.Sort(sizes)
		t.Logf("%s: median %d, p95 %d, largest %d tokens, of %d", name, quantile(sizes, .5), quantile(sizes, .95), quantile(sizes, 1), len(sizes))
	}
	if quantile(each, .5) > 60 || quantile(eachWithParameters, .5) > 60 || quantile(text, 1) > 500 || tokens(len(listing.Array())) > 1000 {
		t.Error("a search or the definitions have too many tokens")
	}
}

func searchFor(name string) []byte {
	return append(wire.AppendQuoted([]byte(`{"name":"search_tools","arguments":{"query":`), name), `}}`...)
}

func quantile[T cmp.Ordered](sorted []T, q float64) T { return sorted[int(q*float64(len(sorted)-1))] }
