package servers

import "go.uber.org/fx"

// Module provides the registry of servers, which reads the records on start.
var Module = fx.Module("servers",
	fx.Provide(fx.Annotate(NewServerRegistry,
		fx.OnStart((*ServerRegistry).Start), fx.OnStop((*ServerRegistry).Stop))),
)
