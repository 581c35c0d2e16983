package lean_test

import (
	"os"
	"strings"
	"testing"
)

func TestTheDocumentedConversation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/lean.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```\n")
	block, _, _ = strings.Cut(block, "```\n")
	calls := 0
	for exchange := range strings.SplitSeq(strings.TrimSuffix(block, "\n"), "\n\n") {
		params, want, _ := strings.Cut(strings.TrimPrefix(exchange, "--> "), "\n")
		outcome := call(t, forge(), params)
		var got string
		if outcome.Forward != nil {
			got = "==> " + string(outcome.Forward.Params)
		} else {
			got = "<-- " + strings.ReplaceAll(read(t, outcome.Result).text(), "\n", "\n<-- ")
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", params, got, want)
		}
		calls++
	}
	if calls != 4 {
		t.Errorf("%d calls", calls)
	}
}
