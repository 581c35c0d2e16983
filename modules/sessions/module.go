package sessions

import "go.uber.org/fx"

// Module provides the sessions with all servers, which end on stop.
var Module = fx.Module("sessions",
	fx.Provide(fx.Annotate(NewSessionManager,
		fx.OnStart((*SessionManager).Start), fx.OnStop((*SessionManager).Stop))),
)
