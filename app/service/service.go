// Package service composes mcp-aggregator: the service that registers servers over
// stdio, SSE and streamable HTTP, and offers their tools over REST and MCP.
package service

import (
	"go.uber.org/fx"

	"mcp-aggregator/app/fxevents"
	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/catalog"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/rest"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/store"
)

// Compose returns mcp-aggregator: the service in front of all registered servers.
func Compose(o Options) fx.Option {
	log := newLogger(o)
	return fx.Options(
		store.Module,
		servers.Module,
		profiles.Module,
		registry.Module,
		catalog.Module,
		search.Module,
		router.Module,
		sessions.Module,
		gateway.Module,
		rest.Module,
		bindings(),
		byMeaning(o),
		fx.Supply(
			o,
			store.URL(o.Database), store.Migrated(o.NoMigrate),
			config.NewEnv(o.Environ),
			config.Chain{},
			child.Inherit(o.InheritEnv),
			registry.Order(nil), registry.Dotted, registry.Filter{},
			sessions.Options{},
			learningOptions(o),
			router.Options{},
			gateway.Options{Version: o.Version},
			rest.Options{Token: o.Token, Version: o.Version},
			log,
		),
		fx.Provide(
			child.NewEnvironment,
			toolsearch.NewSearcher, toolsearch.NewCatalogues,
			fx.Annotate(child.NewOSSpawner, fx.As(new(child.Spawner))),
			fx.Annotate(newListener, fx.OnStart((*listener).start), fx.OnStop((*listener).stop)),
			readDrafts,
			fx.Annotate(toolsearch.NewFollower, fx.OnStart((*toolsearch.Follower).Start), fx.OnStop((*toolsearch.Follower).Stop)),
			fx.Annotate(newSeeds, fx.OnStart((*seeds).start)),
			fx.Annotate(newServer, fx.OnStart((*server).start), fx.OnStop((*server).stop)),
		),
		fx.Invoke(
			func(drafts, *listener) {}, // report wrong flags before a database is created
			watchDescriptions,
			func(*toolsearch.Follower, *seeds, *server) {},
		),
		fxevents.To(log, o.Debug),
	)
}
