package gateway

import "go.uber.org/fx"

// Module provides the service towards MCP clients.
var Module = fx.Module("gateway",
	fx.Provide(fx.Annotate(NewGateway, fx.OnStart((*Gateway).Start), fx.OnStop((*Gateway).Stop))),
)
