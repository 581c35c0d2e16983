package store_test

import (
	"testing"
	"time"

	"mcp-aggregator/modules/store"
)

func TestAUseOfAVectorIsNotedOnceADay(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			s := open(t, url)
			if err := s.CacheVectors(t.Context(), "m", 1, map[[32]byte][]float32{{1}: {1}, {2}: {2}}); err != nil {
				t.Fatal(err)
			}
			executeSQL(t, url, "UPDATE tool_vectors SET used_on = used_on - 10")
			if _, err := s.CachedVectors(t.Context(), "m", 1, [][32]byte{{1}}); err != nil {
				t.Fatal(err)
			}
			if err := s.DeleteUnusedVectors(t.Context(), time.Now().Add(-48*time.Hour)); err != nil {
				t.Fatal(err)
			}
			if found, err := s.CachedVectors(t.Context(), "m", 1, [][32]byte{{1}, {2}}); err != nil || len(found) != 1 || found[[32]byte{1}] == nil {
				t.Errorf("got %v, %v", found, err)
			}
		})
	}
}

func TestVectorsOutliveTheProgram(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			first, err := store.Open(t.Context(), url, quiet())
			if err != nil {
				t.Fatal(err)
			}
			if err := first.CacheVectors(t.Context(), "m", 1, map[[32]byte][]float32{{1}: {1}}); err != nil {
				t.Fatal(err)
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			if found, err := open(t, url).CachedVectors(t.Context(), "m", 1, [][32]byte{{1}}); err != nil || len(found) != 1 {
				t.Errorf("got %v, %v", found, err)
			}
		})
	}
}
