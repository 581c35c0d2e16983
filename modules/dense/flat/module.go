package flat

import (
	"go.uber.org/fx"

	"mcp-aggregator/modules/dense"
)

// Module provides the vector store, given a [VectorCache].
var Module = fx.Module("dense.flat", fx.Provide(
	func(cache VectorCache) dense.VectorStore { return New(cache) },
))
