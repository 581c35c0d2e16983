package mcpclient_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/wire"
)

func TestOutcomeOfARequestOfOurs(t *testing.T) {
	for name, test := range map[string]struct {
		line    string // of the server; empty: the request fails
		want    string
		problem string
	}{
		"a result":            {`{"jsonrpc":"2.0","id":1,"result":{"x":1.0}}`, `{"x":1.0}`, ""},
		"an error":            {`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, "", `the server answered with the error {"CODE":1}`},
		"an error of our own": {"", "", "gone"},
		"neither, but an id":  {`{"jsonrpc":"2.0","id":1,"result":null}`, "null", ""},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := mcpclient.NewOutcome()
			if test.line == "" {
				outcome.Fail(&wire.Error{Message: "gone"})
			} else {
				line := []byte(test.line)
				var m wire.Message
				if err := new(wire.Scanner).Scan(line, &m); err != nil {
					t.Fatal(err)
				}
				outcome.Reply(&m)
				clear(line) // the message is valid only during the call
			}
			got, err := outcome.Wait(t.Context(), func(text []byte) string { return string(bytes.ToUpper(text)) })
			problem := ""
			if err != nil {
				problem = err.Error()
			}
			if string(got) != test.want || problem != test.problem {
				t.Errorf("got %q, problem %q; want %q, problem %q", got, problem, test.want, test.problem)
			}
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mcpclient.NewOutcome().Wait(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
