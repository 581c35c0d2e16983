package dense

import "go.uber.org/fx"

// Module provides a leg that embeds between start and stop, given an [Embedder], a
// [VectorStore], [Options] and a logger.
var Module = fx.Module("dense", fx.Provide(
	fx.Annotate(NewLeg, fx.OnStart((*Leg).Start), fx.OnStop((*Leg).Stop)),
))
