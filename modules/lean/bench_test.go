package lean_test

import (
	"testing"

	"mcp-aggregator/modules/lean"
)

func BenchmarkSearchResult(b *testing.B) {
	c := poolOf(b, "livemcp")
	c.tools = c.tools[:8]
	for i := range c.tools {
		c.tools[i].Name = "x" + c.tools[i].Name
	}
	for b.Loop() {
		lean.Call(b.Context(), c, lean.SearchTools, []byte(`{"name":"search_tools","arguments":{"query":"x"}}`))
	}
}

func BenchmarkDefinitions(b *testing.B) {
	c := poolOf(b, "scale")
	for b.Loop() {
		lean.Definitions(c.servers)
	}
}
