package simple_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// openSession opens a session of that protocol version.
func (a *aggregator) openSession(version string) {
	a.t.Helper()
	a.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version)
	if got := a.Next(); !strings.Contains(got, `"protocolVersion":"`+version+`"`) {
		a.t.Fatalf("initialize: %s", got)
	}
	a.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// elements returns the messages of a batch, sorted.
func elements(line string) (all []string) {
	for span := range wire.Elements([]byte(line)) {
		all = append(all, string(span.Of([]byte(line))))
	}
	slices.Sort(all)
	return all
}

// idOf returns the raw id of a message.
func idOf(line string) string {
	return string(wire.Member([]byte(line), "id").Of([]byte(line)))
}

func TestABatchIsAnsweredByAnArray(t *testing.T) {
	const (
		ping       = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
		call       = `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"one:x"}}`
		pong       = `{"jsonrpc":"2.0","id":"p","result":{}}`
		called     = `{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`
		list       = `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`
		listed     = `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"one:x"}]}}`
		unknown    = `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x"}}`
		refused    = `{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Tool name must be prefixed with server key: x; nearest: one:x"}}`
		noMessage  = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: not a JSON-RPC message"}}`
		empty      = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: the batch is empty"}}`
		nested     = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: batches are part of protocol version 2025-03-26 only"}}`
		initialize = `{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`
		late       = `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid request: initialize must not be part of a batch"}}`
	)
	tests := []struct {
		name, batch string
		want        []string // of an array
		alone       string   // instead of an array
	}{
		{name: "of one", batch: `[` + call + `]`, want: []string{called}},
		{name: "of all kinds", batch: ` [ ` + ping + ` , ` + call + `,` + list + `,` + unknown + `]`, want: []string{pong, called, listed, refused}},
		{name: "with notifications", batch: `[{"jsonrpc":"2.0","method":"notifications/x"},` + ping + `,{"jsonrpc":"2.0","id":77,"result":{}}]`, want: []string{pong}},
		{name: "with what is no message", batch: `[1,` + ping + `,{"a":1}]`, want: []string{pong, noMessage, noMessage}},
		{name: "with what is nested", batch: `[[` + ping + `],` + ping + `]`, want: []string{pong, nested}},
		{name: "with initialize", batch: `[` + initialize + `]`, want: []string{late}},
		{name: "of the same id twice", batch: `[` + call + `,` + call + `]`, want: []string{called, called}},
		{name: "of nothing", batch: `[]`, alone: empty},
		{name: "of notifications only", batch: `[{"jsonrpc":"2.0","method":"notifications/x"}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := start(t, testutil.Spawner{"one": tool(answering)}, "one")
				a.openSession("2025-03-26")
				a.tools()
				a.Send("%s", test.batch)
				switch {
				case test.alone != "":
					a.expect(test.alone)
				case test.want != nil:
					line := a.Next()
					slices.Sort(test.want)
					if got := elements(line); line[0] != '[' || !slices.Equal(got, test.want) {
						t.Errorf("got %s, want %s", line, test.want)
					}
				}
				a.Send(ping)
				a.expect(pong)
			})
		})
	}
}

func TestACancelledCallOfABatchIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[{"name":"x"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.openSession("2025-03-26")
		a.tools()
		a.Send(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one:x"}}]`)
		first, second := idOf(one.Next()), idOf(one.Next())
		one.Say(`{"jsonrpc":"2.0","id":` + second + `,"result":2}`)
		a.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		a.expect(`[{"jsonrpc":"2.0","id":2,"result":2}]`)
		one.Say(`{"jsonrpc":"2.0","id":` + first + `,"result":"late"}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"result":"late"}`)
	})
}

func TestABatchThatIsOpenWhenTheChildDiesIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[{"name":"x"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.openSession("2025-03-26")
		a.tools()
		a.Send(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}},{"jsonrpc":"2.0","id":"p","method":"ping"}]`)
		one.Next()
		one.Exit("exit status 7")
		for _, line := range []string{a.Next(), a.Next()} { // the other is list_changed
			if line[0] == '[' && len(elements(line)) == 2 && strings.Contains(line, `"id":1,"error":{"code":-32603`) {
				return
			}
		}
		t.Error("the batch was not answered")
	})
}

func TestOtherVersionsHaveNoBatches(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-06-18", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			a := start(t, testutil.Spawner{})
			a.openSession(version)
			a.Send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
			a.expect(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: batches are part of protocol version 2025-03-26 only"}}`)
			a.Send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
			a.expect(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		})
	}
}
