package store_test

import (
	"strconv"
	"testing"

	"github.com/google/uuid"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/store"
	"mcp-aggregator/testutil/storetest"
)

// toolCount is the number of tools that the service is designed for.
const toolCount = 10_000

func BenchmarkReplaceTools(b *testing.B) {
	for engine, address := range engines() {
		b.Run(engine, func(b *testing.B) {
			s := open(b, address(b))
			id := register(b, s)
			tools := storetest.Tools(toolCount)
			for round := 0; b.Loop(); round++ {
				tools[0].Description = strconv.Itoa(round)
				if err := s.ReplaceTools(b.Context(), id, tools); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// ReplaceTools has a time limit of its own; the benchmark measures how long it takes.
func TestTenThousandToolsAreReplacedInTime(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			s := open(t, address(t))
			id := register(t, s)
			if err := s.ReplaceTools(t.Context(), id, storetest.Tools(toolCount)); err != nil {
				t.Fatal(err)
			}
			if tools, err := s.Tools(t.Context()); err != nil || len(tools) != toolCount || tools[toolCount-1].Name != "tool_09999" {
				t.Errorf("%d tools came back, %v", len(tools), err)
			}
		})
	}
}

func register(tb testing.TB, s *store.Store) (id string) {
	tb.Helper()
	id = uuid.NewString()
	if err := s.Create(tb.Context(), servers.Server{ID: id, Name: "n" + id, Transport: servers.Stdio, Status: servers.Connected}); err != nil {
		tb.Fatal(err)
	}
	return id
}
