package service

import "log/slog"

// jsonFormat is the LogFormat in which every line on standard error is a JSON object.
const jsonFormat = "json"

// newLogger returns the service's logger: what happens to servers and what goes
// wrong, and everything with debug.
func newLogger(o Options) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if o.Debug {
		options.Level = slog.LevelDebug
	}
	if o.LogFormat == jsonFormat {
		return slog.New(slog.NewJSONHandler(o.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(o.Stderr, options))
}
