package simple

import (
	"go.uber.org/fx"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/app/fxevents"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/upstream"
)

// Compose returns mcp-simple-aggregator: one stdio MCP server in front of all the
// servers of one file.
func Compose(o Options, stdio upstream.Stdio) fx.Option {
	separator := registry.Separator(o.Separator)
	log := cli.NewLogger(o.Stderr, o.Debug)
	mode := fx.Options()
	if o.Lean {
		mode = leanMode()
	}
	return fx.Options(
		config.Module,
		child.Module,
		registry.Module,
		upstream.Module,
		bindings(),
		mode,
		fx.Supply(
			config.Path(o.Config),
			config.Only(o.Only),
			config.NewEnv(o.Environ),
			child.Inherit(o.InheritEnv),
			child.Options{Quiet: o.Quiet && !o.Debug},
			separator,
			registry.Filter{Allow: o.Allow, Deny: o.Deny},
			upstream.Options{Name: o.Name, Version: o.Version, Separator: separator, Pins: o.Pin},
			stdio,
			log,
		),
		fx.Invoke(func(*upstream.AggregatorServer) {}),
		fxevents.To(log, o.Debug),
	)
}
