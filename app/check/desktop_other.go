//go:build !windows

package check

import (
	"runtime"

	"mcp-aggregator/modules/doctor"
)

// desktopEnviron returns environ as a desktop application would pass it on.
func desktopEnviron(environ []string) []string {
	return doctor.DesktopEnviron(runtime.GOOS, environ, "")
}
