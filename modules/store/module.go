package store

import (
	"go.uber.org/fx"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
)

// URL names the database, as for [New].
type URL string

// Migrated reports that the database is migrated by somebody else. The store then refuses
// a database whose version is not the one that it needs.
type Migrated bool

// Module provides the store, which is opened on start and closed on stop.
var Module = fx.Module("store", fx.Provide(
	fx.Annotate(New, fx.OnStart((*Store).Start), fx.OnStop((*Store).Stop)),
	func(s *Store) (servers.Store, servers.Cluster, profiles.Store, search.LearningStore) {
		return s, s, s, s
	},
))
