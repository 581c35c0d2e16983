package store

import (
	"go.uber.org/fx"

	"mcp-aggregator/modules/servers"
)

// URL names the database, as for [New].
type URL string

// Migrated tells that somebody else migrates the database: one whose version is not this
// program's is refused.
type Migrated bool

// Module provides the store, opened on start and closed on stop.
var Module = fx.Module("store", fx.Provide(
	fx.Annotate(New, fx.OnStart((*Store).Start), fx.OnStop((*Store).Stop)),
	func(s *Store) (servers.Store, servers.Cluster) { return s, s },
))
