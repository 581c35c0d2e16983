// Package fxevents has Fx say what it does, for both programs.
package fxevents

import (
	"log/slog"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"
)

// To is the option that has Fx log what it does to log, in a group of its own, if debug
// is set. Otherwise it logs nothing: it would print a configuration error three times. Its
// errors are debug messages, too: they are reported once, where they end.
func To(log *slog.Logger, debug bool) fx.Option {
	if !debug {
		return fx.NopLogger
	}
	return fx.WithLogger(func() fxevent.Logger {
		l := &fxevent.SlogLogger{Logger: log.WithGroup("fx")}
		l.UseLogLevel(slog.LevelDebug)
		l.UseErrorLevel(slog.LevelDebug)
		return l
	})
}
