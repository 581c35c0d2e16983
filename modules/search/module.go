package search

import "go.uber.org/fx"

// Module provides the search for tools, and what it learns from their use.
var Module = fx.Module("search",
	fx.Provide(
		NewEngine,
		fx.Annotate(NewLearning, fx.OnStart((*Learning).Start), fx.OnStop((*Learning).Stop)),
	),
)
