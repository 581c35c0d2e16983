package upstream_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// fakeOrigin is a child that has sent a request to the client.
type fakeOrigin struct{ sent []string }

func (a *fakeOrigin) Send(parts ...[]byte) {
	line := ""
	for _, part := range parts {
		line += string(part)
	}
	a.sent = append(a.sent, line)
}

func TestAnOversizedResponseOfTheClientIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testutil.NewClient(t)
		defer c.Hangup()
		stdio := upstream.Stdio{In: c.Stdin, Out: c.Stdout}
		f := &fakeServers{settled: make(chan struct{})}
		log := slog.New(slog.DiscardHandler)
		relay := upstream.NewServerRequests(upstream.NewOutput(stdio))
		s := upstream.NewAggregatorServer(stdio, relay, upstream.Deps{Servers: f, Caller: f, Flusher: f},
			registry.NewToolRegistry(registry.Order{"one"}, ":", registry.Filter{}, log), log, upstream.Options{MaxMessage: 1000})
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer s.Stop(t.Context()) //nolint:errcheck // it never fails
		c.Initialize()
		synctest.Wait()
		var question wire.Message
		if err := new(wire.Scanner).Scan([]byte(`{"jsonrpc":"2.0","id":"theirs","method":"vendor/x"}`), &question); err != nil {
			t.Fatal(err)
		}
		child := &fakeOrigin{}
		relay.HandleServerMessage(&question, child)
		relay.Flush()
		c.Next()
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","result":"%s","id":1}`, strings.Repeat("x", 1000))
		c.Send("%s", answer)
		synctest.Wait()
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":"theirs","error":{"code":-32600,"message":"Invalid request: message of %d bytes exceeds the limit of 1000 bytes"}}`, len(answer))
		if got := strings.Join(child.sent, "\n"); got != want {
			t.Errorf("the child receives %s, want %s", got, want)
		}
	})
}
