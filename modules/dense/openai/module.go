package openai

import (
	"go.uber.org/fx"

	"mcp-aggregator/modules/dense"
)

// Module provides an embedder, given [Options].
var Module = fx.Module("dense.openai", fx.Provide(
	func(o Options) (dense.Embedder, error) { return New(o) },
))
