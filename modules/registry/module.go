package registry

import "go.uber.org/fx"

// Module provides the registry of tools.
var Module = fx.Module("registry", fx.Provide(NewToolRegistry))
