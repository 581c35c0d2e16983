package app

import "runtime/debug"

// Version is the build's version: the module's when installed as one, the
// commit when built in a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknownVersion
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return unknownVersion + "+" + setting.Value[:min(12, len(setting.Value))]
		}
	}
	return unknownVersion
}

const unknownVersion = "0.0.0-dev"
