package testutil_test

import (
	"testing"

	"mcp-aggregator/testutil"
)

func TestTheSmokeTestChecksResponses(t *testing.T) {
	for name, test := range map[string]struct{ answer, want string }{
		"a result":                           {`{"result":{"content":[]}}`, ""},
		"an error of the tool's":             {`{"result":{"isError":true}}`, ""},
		"a server that refuses {}":           {`{"error":{"code":-32602,"message":"path is missing"}}`, ""},
		"a name that the program refuses":    {`{"error":{"code":-32602,"message":"Tool name must be prefixed with server key: x"}}`, "error -32602: Tool name must be prefixed with server key: x"},
		"a tool that the program has lost":   {`{"error":{"code":-32601,"message":"Tool not found: x"}}`, "error -32601: Tool not found: x"},
		"a server that has failed meanwhile": {`{"error":{"code":-32603,"message":"it ended"}}`, "error -32603: it ended"},
		"nothing":                            {`{}`, "neither a result nor an error"},
		"a result that is no object":         {`{"result":[]}`, "neither a result nor an error"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := testutil.ProblemOf(test.answer); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
