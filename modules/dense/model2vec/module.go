package model2vec

import (
	"go.uber.org/fx"

	"mcp-aggregator/modules/dense"
)

// Module provides an embedder that reads the given [Folder] on start.
var Module = fx.Module("dense.model2vec", fx.Provide(
	fx.Annotate(New, fx.OnStart((*Embedder).Start), fx.OnStop((*Embedder).Stop)),
	func(e *Embedder) dense.Embedder { return e },
))
