package router

import "go.uber.org/fx"

// Module provides the router of calls and the desks for what servers ask meanwhile.
var Module = fx.Module("router", fx.Provide(NewRequestRouter, NewDesks))
