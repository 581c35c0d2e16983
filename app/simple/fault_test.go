package app_test

import (
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// It stands in docs/contributing.md, too.
func TestAServerThatEndsInsteadOfAnswering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crash := testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(line, id string, out io.Writer) child.Exit {
			return "exit status 3" // it ends instead of answering
		}}
		a := start(t, testutil.Spawner{"one": crash.Run}, "one")
		a.Initialize()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Server 'one' crashed during operation","data":{"server":"one","exitStatus":"exit status 3"}}}`)
	})
}

func TestTheFaultOfTheDocumentsIsATest(t *testing.T) {
	source, err := os.ReadFile("fault_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := blocks(t, "../docs/contributing.md", "go")
	if len(shown) != 1 {
		t.Fatalf("%d snippets", len(shown))
	}
	if body := strings.ReplaceAll("\t\t"+strings.TrimSpace(shown[0]), "\n", "\n\t\t"); !strings.Contains(string(source), body) {
		t.Errorf("no test has the snippet of docs/contributing.md:\n%s", body)
	}
}
