package app

import (
	"log/slog"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/upstream"
)

// Simple is mcp-simple-aggregator: one stdio MCP server in front of all the
// servers of one file.
func Simple(o Options, stdio upstream.Stdio) fx.Option {
	separator := registry.Separator(o.Separator)
	log := newLogger(o.Stderr, o.Debug)
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
			child.Options{Quiet: o.Reports && !o.Debug},
			separator,
			registry.Filter{Allow: o.Allow, Deny: o.Deny},
			upstream.Options{Name: o.Name, Version: o.Version, Separator: separator},
			stdio,
			log,
		),
		fx.Invoke(func(*upstream.AggregatorServer) {}),
		events(o, log),
	)
}

// events has Fx say what it does, for whoever debugs. To others it would print a
// configuration error three times. Its errors are reported once, where they end.
func events(o Options, log *slog.Logger) fx.Option {
	if !o.Debug {
		return fx.NopLogger
	}
	return fx.WithLogger(func() fxevent.Logger {
		l := &fxevent.SlogLogger{Logger: log.WithGroup("fx")}
		l.UseLogLevel(slog.LevelDebug)
		l.UseErrorLevel(slog.LevelDebug)
		return l
	})
}
