package simple_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

// aggregator is a composed program with fake children, and its client.
type aggregator struct {
	*testutil.Client
	t      *testing.T
	server *upstream.AggregatorServer
	fx     *fx.App
	log    *testutil.Buffer
}

// start composes the program over fake children, whose keys are in the config in the order
// given, and starts it. It stops at the end of the test.
func start(t *testing.T, children testutil.Spawner, keys ...string) *aggregator {
	t.Helper()
	return startWith(t, simple.Options{Separator: ":"}, children, keys...)
}

func startWith(t *testing.T, o simple.Options, children testutil.Spawner, keys ...string) *aggregator {
	t.Helper()
	o.Config = writeConfig(t, keys...)
	a := &aggregator{t: t, Client: testutil.NewClient(t), log: &testutil.Buffer{}}
	o.Stderr = testutil.Printed(a.log)
	a.fx = fx.New(
		simple.Compose(o, upstream.Stdio{In: a.Stdin, Out: a.Stdout}),
		testutil.Replace[child.Spawner](children),
		fx.Populate(&a.server),
	)
	if err := a.fx.Start(t.Context()); err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(a.stop)
	return a
}

// stop disconnects the client and stops the program.
func (a *aggregator) stop() {
	a.Hangup()
	if err := a.fx.Stop(context.Background()); err != nil {
		a.t.Errorf("stop: %v", err)
	}
}

func writeConfig(tb testing.TB, keys ...string) string {
	tb.Helper()
	var entries []string
	for _, key := range keys {
		name, _ := json.Marshal(key)
		entries = append(entries, string(name)+`:{"command":"fake","env":{"PASSWORD":"`+testutil.Canary+`"}}`)
	}
	path := filepath.Join(tb.TempDir(), "config.json")
	text := `{"mcpServers":{` + strings.Join(entries, ",") + `}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// expect fails the test unless the next line from the server is want.
func (a *aggregator) expect(want string) {
	a.t.Helper()
	if got := a.Next(); got != want {
		a.t.Errorf("next line:\n got %s\nwant %s", testutil.Shorten(got), testutil.Shorten(want))
	}
}

// tools returns the public names in the result of tools/list.
func (a *aggregator) tools() []string {
	a.t.Helper()
	a.Send(`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	var answer struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(a.Next()), &answer); err != nil {
		a.t.Fatalf("tools/list: %v", err)
	}
	var names []string
	for _, tool := range answer.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}
