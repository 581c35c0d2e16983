package payload_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcp-aggregator/bench/payload"
)

func TestResultsAreJSONOfTheirSize(t *testing.T) {
	for name, code := range map[string]bool{"text": false, "code": true} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{100, 10_000, 1_000_000} {
				got := payload.Result(code, size)
				if !json.Valid([]byte(got)) {
					t.Errorf("%d bytes: no JSON: %.300s", size, got)
				}
				if len(got) < size || len(got) > size+1000 {
					t.Errorf("%d bytes, not about %d", len(got), size)
				}
			}
		})
	}
}

func TestCodeIsFullOfEscapes(t *testing.T) {
	got := payload.Code(10_000)
	if !json.Valid([]byte(`"` + got + `"`)) {
		t.Fatal("no JSON within a string")
	}
	if n := strings.Count(got, `\`); n < len(got)/20 {
		t.Errorf("%d escapes in %d bytes", n, len(got))
	}
	if got != payload.Code(10_000) {
		t.Error("not the same twice")
	}
}
