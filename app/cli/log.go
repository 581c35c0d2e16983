package app

import (
	"io"
	"log/slog"
	"unicode/utf8"
)

// newLogger returns the program's logger: errors and warnings, and everything
// with debug. Times are left to whoever collects the lines.
func newLogger(w io.Writer, debug bool) *slog.Logger {
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
				a.Value = slog.StringValue(cut(a.Value.String(), maxLogged))
			}
			return a
		},
	}))
}

// maxLogged bounds one value of a log line, in bytes: a server may give its
// tool a name of megabytes.
const maxLogged = 16 << 10

// cut returns text, or as much of its beginning as there is room for, without
// half a character at its end.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > limit-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}
