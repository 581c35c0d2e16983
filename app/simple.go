package app

import (
	"go.uber.org/fx"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/upstream"
)

// Simple is mcp-simple-aggregator: one stdio MCP server in front of all the
// servers of one file.
func Simple(o Options, stdio upstream.Stdio) fx.Option {
	separator := registry.Separator(o.Separator)
	return fx.Options(
		config.Module,
		child.Module,
		registry.Module,
		upstream.Module,
		bindings(),
		fx.Supply(
			config.Path(o.Config),
			config.Only(o.Only),
			config.NewEnv(o.Environ),
			child.Inherit(o.InheritEnv),
			child.Options{},
			separator,
			registry.Filter{Allow: o.Allow, Deny: o.Deny},
			upstream.Options{Name: o.Name, Version: o.Version, Separator: separator},
			stdio,
			newLogger(o.Stderr, o.Debug),
		),
		fx.Invoke(func(*upstream.AggregatorServer) {}),
		fx.NopLogger, // a configuration error would be printed three times
	)
}
