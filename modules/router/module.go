package router

import "go.uber.org/fx"

// Module provides the router of calls, and the factory that makes the server requests of
// each session.
var Module = fx.Module("router", fx.Provide(NewRequestRouter, NewServerRequestsFactory))
