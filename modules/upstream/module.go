package upstream

import "go.uber.org/fx"

// Module provides the MCP server that the client sees. It starts after the
// children, which it needs, and so stops before them.
var Module = fx.Module("upstream",
	fx.Provide(
		NewOutput,
		NewServerRequests,
		fx.Annotate(NewAggregatorServer,
			fx.OnStart((*AggregatorServer).Start), fx.OnStop((*AggregatorServer).Stop)),
	),
)
