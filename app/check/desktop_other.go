//go:build !windows

package app

import (
	"runtime"

	"mcp-aggregator/modules/doctor"
)

// desktopEnviron is what environ would be under a desktop application.
func desktopEnviron(environ []string) []string {
	return doctor.DesktopEnviron(runtime.GOOS, environ, "")
}
