package search

import "go.uber.org/fx"

// Module provides the tool search and the learning from its use.
var Module = fx.Module("search",
	fx.Provide(
		NewEngine,
		fx.Annotate(NewLearning, fx.OnStart((*Learning).Start), fx.OnStop((*Learning).Stop)),
	),
)
