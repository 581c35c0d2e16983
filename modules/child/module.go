package child

import "go.uber.org/fx"

// Module provides the Manager of the mcpServers file, with real processes: spawned on
// start, ended on stop.
var Module = fx.Module("child",
	fx.Provide(
		NewEnvironment,
		fx.Annotate(NewOSSpawner, fx.As(new(Spawner))),
		fx.Annotate(NewManager, fx.OnStart((*Manager).Start), fx.OnStop((*Manager).Stop)),
	),
)
