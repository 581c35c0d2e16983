package simple_test

import (
	"io"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// docs/contributing.md shows this test.
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
