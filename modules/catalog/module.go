package catalog

import "go.uber.org/fx"

// Module provides the aggregator of all servers' tools.
var Module = fx.Module("catalog", fx.Provide(NewToolAggregator))
