package cli

import (
	"io"
	"log/slog"
	"strings"

	"mcp-aggregator/config"
)

// maxLogged is how many bytes of one value a log line holds: a server may give its
// tool a name of megabytes.
const maxLogged = 16 << 10

// NewLogger returns the logger of the stdio program: warnings and errors, and all
// levels with debug. It writes no times, because the client that collects the lines
// adds its own.
func NewLogger(w io.Writer, debug bool) *slog.Logger {
	level := slog.LevelWarn
	if debug {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			switch {
			case len(groups) == 0 && a.Key == slog.TimeKey:
				return slog.Attr{}
			case a.Value.Kind() == slog.KindString:
				a.Value = slog.StringValue(Truncate(a.Value.String(), maxLogged))
			}
			return a
		},
	}))
}

// WarnUnsupported logs a warning for each server of the file that the stdio program
// cannot run, because its transport is not stdio.
func WarnUnsupported(log *slog.Logger, file *config.File) {
	for _, entry := range file.Servers {
		if entry.Unsupported == nil {
			continue
		}
		why, fix, _ := strings.Cut(entry.Unsupported.Message, "; ")
		log.Warn("server left out", slog.String("server", entry.Key), slog.String("place", entry.Unsupported.Path),
			slog.String("reason", why), slog.String("fix", fix))
	}
}
