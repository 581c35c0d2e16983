package router

import "go.uber.org/fx"

// Module provides the router of calls and the server requests, which are what servers ask meanwhile.
var Module = fx.Module("router", fx.Provide(NewRequestRouter, NewServerRequestsFactory))
