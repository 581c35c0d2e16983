package config

import "go.uber.org/fx"

// Module turns a [Path], an [Only] and an [Env], which the program supplies, into an
// [McpConfig] and a [Chain].
var Module = fx.Module("config",
	fx.Provide(
		NewLoader,
		NewExpander,
		NewChain,
		(*Loader).Load,
		(*Expander).Expand,
	),
)
