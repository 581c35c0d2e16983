package profiles

import "go.uber.org/fx"

// Module provides the registry of profiles, which reads them on start.
var Module = fx.Module("profiles",
	fx.Provide(fx.Annotate(NewProfileRegistry,
		fx.OnStart((*ProfileRegistry).Start), fx.OnStop((*ProfileRegistry).Stop))),
)
