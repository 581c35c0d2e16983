package service_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// The new name holds once PATCH has responded.
func TestANewNameHoldsAtOnce(t *testing.T) {
	s := start(t, testutil.Spawner{"a": withTools("x")})
	id := s.register("a", "STDIO", `{"command":"x"}`).ID
	s.await(id, "CONNECTED")
	c := s.connect("test", "{}")
	from := "a"
	for _, to := range []string{"b", "c", "a"} {
		if status := s.status(http.MethodPatch, "/aggregator/servers/"+id, `{"name":"`+to+`"}`); status != http.StatusOK {
			t.Fatal(status)
		}
		s.api().call(to+".x", `{}`)
		s.api().refused(http.StatusNotFound, from+".x", `{}`)
		s.api().tool(to + ".x")
		gone := s.api().answered(http.StatusNotFound, http.MethodGet, "/tools/"+from+".x", "")
		if !strings.Contains(gone, "nearest: "+to+".x") || !strings.Contains(gone, `"candidates":["`+to+`.x"]`) {
			t.Errorf("the new name is not told: %s", gone)
		}
		if got := s.api().listed(); !slices.Equal(got, []string{to + ".x"}) {
			t.Errorf("the tools are %q", got)
		}
		expect(t, c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+to+`.x","arguments":{}}}`),
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}}`)
		expect(t, c.request(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+from+`.x","arguments":{}}}`),
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown tool: `+from+`.x; nearest: `+to+`.x"}}`)
		from = to
	}
	s.recorded(id, "CONNECTED")
}

func TestANameThatIsTakenStaysTheOthers(t *testing.T) {
	s := start(t, testutil.Spawner{"a": withTools("x"), "b": withTools("y")})
	a, b := s.register("a", "STDIO", `{"command":"x"}`).ID, s.register("b", "STDIO", `{"command":"x"}`).ID
	s.await(a, "CONNECTED")
	s.await(b, "CONNECTED")
	if status := s.status(http.MethodPatch, "/aggregator/servers/"+a, `{"name":"b"}`); status != http.StatusConflict {
		t.Errorf("it is answered with %d", status)
	}
	s.api().call("a.x", `{}`)
	s.api().call("b.y", `{}`)
}
