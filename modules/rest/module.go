package rest

import "go.uber.org/fx"

// Module provides the REST API, an http.Handler.
var Module = fx.Module("rest", fx.Provide(New))
