package app

import (
	"log/slog"
	"strings"

	"mcp-aggregator/config"
)

// warnUnsupported tells of the servers of other transports, which do not run here.
func warnUnsupported(log *slog.Logger, file *config.File) {
	for _, entry := range file.Servers {
		if entry.Unsupported == nil {
			continue
		}
		why, fix, _ := strings.Cut(entry.Unsupported.Message, "; ")
		log.Warn("server left out", slog.String("server", entry.Key), slog.String("place", entry.Unsupported.Path),
			slog.String("reason", why), slog.String("fix", fix))
	}
}
