package service_test

import (
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// Servers are told the same of the service however they are reached: the rest of this
// is in the tests of package remote.
func TestAProcessIsToldWhatServersOverHTTPAreTold(t *testing.T) {
	puppet := testutil.NewPuppet(`[]`)
	s := start(t, testutil.Spawner{"p": puppet.Run})
	s.await(s.register("p", "STDIO", `{"command":"p"}`).ID, "CONNECTED")
	for _, want := range []string{
		`"capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{}}`,
		`"clientInfo":{"name":"mcp-aggregator","version":"1.2.3"}`, `"protocolVersion":"2025-11-25"`,
	} {
		if got := puppet.Greeting(); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}
