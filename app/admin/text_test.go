package admin_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/app/admin"
)

func TestEscapedTextDoesNotActOnATerminal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		harmless := admin.Escape(text)
		for _, r := range harmless {
			if !strconv.IsPrint(r) {
				t.Fatalf("%q is shown as %q", text, harmless)
			}
		}
		if !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) && harmless != text {
			t.Fatalf("%q is shown as %q", text, harmless)
		}
	})
}
