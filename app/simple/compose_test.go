package simple_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Fx builds only what something needs, so this test populates every exported type.
func TestEveryExportedTypeCanBeBuilt(t *testing.T) {
	var (
		loader      *config.Loader
		expander    *config.Expander
		file        *config.File
		cfg         *config.McpConfig
		chain       config.Chain
		environment *child.Environment
		spawner     child.Spawner
		manager     *child.Manager
		client      child.Client
		tools       child.Tools
		order       registry.Order
		toolsOf     *registry.ToolRegistry
		output      *upstream.Output
		deps        upstream.Deps
		server      *upstream.AggregatorServer
	)
	c := testutil.NewClient(t)
	defer c.Hangup()
	built := fx.New(
		simple.Compose(simple.Options{Config: writeConfig(t, "a", "b"), Stderr: testutil.Printed(&testutil.Buffer{})}, upstream.Stdio{In: c.Stdin, Out: c.Stdout}),
		fx.Populate(&loader, &expander, &file, &cfg, &chain, &environment, &spawner, &manager,
			&client, &tools, &order, &toolsOf, &output, &deps, &server),
	)
	if err := built.Err(); err != nil {
		t.Fatal(err)
	}
	if len(order) != 2 || order[0] != "a" || len(manager.Statuses()) != 2 {
		t.Errorf("built of another config: %q", order)
	}
}

func TestWhoDebugsSeesWhatIsBuilt(t *testing.T) {
	for debug, want := range map[bool]bool{true: true, false: false} {
		var stderr testutil.Buffer
		c := testutil.NewClient(t)
		t.Cleanup(c.Hangup)
		built := fx.New(simple.Compose(simple.Options{Config: writeConfig(t), Debug: debug, Stderr: testutil.Printed(&stderr)}, upstream.Stdio{In: c.Stdin, Out: c.Stdout}))
		if err := built.Err(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(stderr.String(), "upstream.NewAggregatorServer"); got != want {
			t.Errorf("with --debug=%t: %s", debug, stderr.String())
		}
	}
}

func TestTheWiringIsTheOneThatWasReviewed(t *testing.T) {
	var graph fx.DotGraph
	c := testutil.NewClient(t)
	defer c.Hangup()
	built := fx.New(
		simple.Compose(simple.Options{Config: writeConfig(t), Stderr: testutil.Printed(&testutil.Buffer{})}, upstream.Stdio{In: c.Stdin, Out: c.Stdout}),
		fx.Populate(&graph),
	)
	if err := built.Err(); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "simple.dot")
	if *update {
		if err := os.WriteFile(golden, []byte(graph), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal([]byte(graph), want) {
		t.Errorf("the graph has changed; look at it and run: go test ./app/simple -run Wiring -update\n%s", graph)
	}
}

func TestOnlyTheLeanModeHasAnIndex(t *testing.T) {
	for _, lean := range []bool{true, false} {
		var (
			engine   *search.Engine
			follower *toolsearch.Follower
			deps     upstream.Deps
		)
		c := testutil.NewClient(t)
		t.Cleanup(c.Hangup)
		compose := func(targets ...any) error {
			return fx.New(simple.Compose(simple.Options{Config: writeConfig(t), Lean: lean, Stderr: testutil.Printed(&testutil.Buffer{})},
				upstream.Stdio{In: c.Stdin, Out: c.Stdout}), fx.Populate(targets...), fx.NopLogger).Err()
		}
		if err := compose(&engine, &follower); (err == nil) != lean {
			t.Errorf("with lean %t the index is built: %v", lean, err)
		}
		if err := compose(&deps); err != nil || (deps.Lean != nil) != lean {
			t.Errorf("with lean %t the server gets %v, %v", lean, deps.Lean, err)
		}
	}
}
