package service

import (
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
)

// Unknown implements rest.Tools.
func (t tools) Unknown(name string, among []servers.Tool) error {
	return t.router.Unknown(name, func(yield func(registry.Named) bool) {
		for i := range among {
			if !yield(registry.Named{Name: among[i].Namespaced, Own: among[i].Name}) {
				return
			}
		}
	})
}
