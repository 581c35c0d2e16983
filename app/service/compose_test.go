package service_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/app/service"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/catalog"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/rest"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/store"
	"mcp-aggregator/testutil"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// composed builds the service with more options, and starts nothing.
func composed(t *testing.T, more ...fx.Option) {
	t.Helper()
	built := fx.New(append(more, service.Compose(service.Options{
		Listen: "127.0.0.1:0", Database: filepath.Join(t.TempDir(), "a.db"),
		Stderr: testutil.Printed(&testutil.Buffer{}),
	}))...)
	if err := built.Err(); err != nil {
		t.Fatal(err)
	}
}

// Fx builds only what something needs, so this test populates every exported type.
func TestEveryExportedTypeCanBeBuilt(t *testing.T) {
	var (
		environment *child.Environment
		spawner     child.Spawner
		expander    config.Env
		kept        servers.Store
		records     servers.Records
		toolStore   servers.ToolStore
		cluster     servers.Cluster
		serving     *servers.ServerRegistry
		views       *profiles.ProfileRegistry
		listed      *registry.ToolRegistry
		aggregator  *catalog.ToolAggregator
		requests    *router.ServerRequestsFactory
		calls       *router.RequestRouter
		deps        sessions.Deps
		dialers     sessions.Dialers
		manager     *sessions.SessionManager
		clients     *gateway.Gateway
		restDeps    rest.Deps
		api         *rest.API
		server      *service.Server
	)
	composed(t, fx.Populate(&environment, &spawner, &expander, &kept, &records, &toolStore, &cluster, &serving, &views),
		fx.Populate(&listed, &aggregator, &requests, &calls, &deps, &dialers, &manager, &clients),
		fx.Populate(&restDeps, &api, &server))
	if len(dialers) != 3 {
		t.Errorf("there are dialers for %d transports", len(dialers))
	}
}

func TestTheGraphIsValid(t *testing.T) {
	if err := fx.ValidateApp(service.Compose(service.Options{Stderr: testutil.Printed(&testutil.Buffer{})})); err != nil {
		t.Error(err)
	}
}

func TestADatabaseThatCannotBeOpenedStartsNothing(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var s *store.Store
	built := fx.New(service.Compose(service.Options{
		Listen: "127.0.0.1:0", Database: filepath.Join(folder, "file", "a.db"), Stderr: testutil.Printed(&testutil.Buffer{}),
	}), fx.Populate(&s))
	if built.Err() == nil && built.Start(t.Context()) == nil {
		t.Error("it starts")
	}
}

func TestTheWiringIsTheOneThatWasReviewed(t *testing.T) {
	var graph fx.DotGraph
	composed(t, fx.Populate(&graph))
	golden := filepath.Join("testdata", "service.dot")
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
		t.Errorf("the graph has changed; look at it and run: go test ./app/service -run Wiring -update\n%s", graph)
	}
}
