package store

import (
	"context"
	"log/slog"

	"go.uber.org/fx"

	"mcp-aggregator/modules/servers"
)

// URL names the database, as for [Open].
type URL string

// Migrated tells that somebody else migrates the database: see [OpenMigrated].
type Migrated bool

// Module provides the store, opened when it is first asked for, closed on stop.
var Module = fx.Module("store", fx.Provide(
	fx.Annotate(func(url URL, migrated Migrated, log *slog.Logger) (*Store, error) {
		if migrated {
			return OpenMigrated(context.Background(), string(url), log)
		}
		return Open(context.Background(), string(url), log)
	}, fx.OnStop((*Store).Close)),
	func(s *Store) (servers.Store, servers.Cluster) { return s, s },
))
