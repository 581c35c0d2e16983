package upstream

import "go.uber.org/fx"

// Module provides the MCP server for the client. It is built after the children, which it
// depends on, and so stops before them.
var Module = fx.Module("upstream",
	fx.Provide(
		NewOutput,
		NewServerRequests,
		fx.Annotate(NewAggregatorServer,
			fx.OnStart((*AggregatorServer).Start), fx.OnStop((*AggregatorServer).Stop)),
	),
)
