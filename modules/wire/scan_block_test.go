package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
)

// Escapes are handled in blocks of 64 bytes. They may be anywhere in a block and across
// two blocks.
func TestEscapesAnywhereInALongString(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{`\\`, `\"`, `\n`, `\/`, `\u00e9`, `\ud83d\ude00`, "é", "plain", " ", strings.Repeat("x", 31), strings.Repeat(`\\`, 20)}),
		rapid.StringMatching(`[a-z]{0,70}`),
	)
	flaw := rapid.SampledFrom([]string{"", "", "", `\`, `"`, `\x`, `\u12g4`, "\x01", `\\\`, "\n"})
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "before"), "")
		after := strings.Join(rapid.SliceOfN(piece, 0, 10).Draw(t, "after"), "")
		line := `{"jsonrpc":"2.0","id":1,"result":["` + before + flaw.Draw(t, "flaw") + after + `"]}` + strings.Repeat(" ", rapid.IntRange(0, 70).Draw(t, "spaces"))
		var m wire.Message
		err := new(wire.Scanner).Scan([]byte(line), &m)
		if (err == nil) != json.Valid([]byte(line)) {
			t.Fatalf("%s: %v", line, err)
		}
		result := strings.TrimSuffix(strings.TrimRight(line[strings.Index(line, "["):], " "), "}")
		if got := string(m.Result.Of(m.Line)); err == nil && got != result {
			t.Fatalf("the result is %s, not %s", got, result)
		}
	})
}
