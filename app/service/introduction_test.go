package service_test

import (
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// Servers get the same initialize over every transport. Package remote tests the others.
func TestAProcessIsToldWhatServersOverHTTPAreTold(t *testing.T) {
	manual := testutil.NewManualChild(`[]`)
	s := start(t, testutil.Spawner{"p": manual.Run})
	s.await(s.register("p", "STDIO", `{"command":"p"}`).ID, "CONNECTED")
	for _, want := range []string{
		`"capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{}}`,
		`"clientInfo":{"name":"mcp-aggregator","version":"1.2.3"}`, `"protocolVersion":"2025-11-25"`,
	} {
		if got := manual.InitializeLine(); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}
