// Package version tells which build of the programs runs.
package version

import "runtime/debug"

// unknown is the version of a build that knows of no module version and no commit.
const unknown = "0.0.0-dev"

// String returns the version of this build: the module's if it was installed as one,
// the commit if it was built in a checkout.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return unknown + "+" + setting.Value[:min(12, len(setting.Value))]
		}
	}
	return unknown
}
