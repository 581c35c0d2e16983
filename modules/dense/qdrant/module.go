package qdrant

import (
	"go.uber.org/fx"

	"mcp-aggregator/modules/dense"
)

// Module provides a vector store, given [Options].
var Module = fx.Module("dense.qdrant", fx.Provide(
	fx.Annotate(New, fx.OnStart((*Store).Start), fx.OnStop((*Store).Stop)),
	func(s *Store) dense.VectorStore { return s },
))
