package search

import "go.uber.org/fx"

// Module provides the search for tools.
var Module = fx.Module("search", fx.Provide(NewEngine))
