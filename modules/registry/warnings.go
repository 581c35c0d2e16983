package registry

import "log/slog"

// maxWarnings bounds what one list of one server may have us say of its tools.
const maxWarnings = 3

// warnings are those about one list; beyond a few they are only counted.
type warnings struct {
	log    *slog.Logger
	server string
	count  int
}

func (w *warnings) add(message string, attrs ...any) {
	if w.count++; w.count <= maxWarnings {
		w.log.Warn(message, attrs...) //nolint:sloglint // the callers' messages are constants
	}
}

// end tells how many there were beyond those shown.
func (w *warnings) end() {
	if more := w.count - maxWarnings; more > 0 {
		w.log.Warn("more tools left out", slog.String("server", w.server), slog.Int("count", more))
	}
}
