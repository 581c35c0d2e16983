package redact_test

import (
	"strings"
	"testing"

	"mcp-aggregator/modules/redact"
)

func TestPrintable(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"text stays", `tür "x" \ 漢字`, `tür "x" \ 漢字`},
		{"an ANSI escape is quoted", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"control bytes are quoted", "a\x00\b\x7f\tb\rc", `a\x00\b\x7f\tb\rc`},
		{"a newline is quoted", "a\nb", `a\nb`},
		{"the CR of a CR LF goes", "a\r", "a"},
		{"a right-to-left mark is quoted", "a\u202eb\u200fc", `a\u202eb\u200fc`},
		{"a C1 control is quoted", "a\u009bb", `a\u009bb`},
		{"a byte that is not UTF-8 is quoted", "a\xffb\xc3", `a\xffb\xc3`},
		{"a replacement character that was written stays", "a\ufffdb", "a\ufffdb"},
		{"a text of just the limit", strings.Repeat("ä", 40), strings.Repeat("ä", 40)},
		{"a longer text is cut at a character", strings.Repeat("ä", 41), strings.Repeat("ä", 40) + "..."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := redact.Printable(test.text, 40); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
