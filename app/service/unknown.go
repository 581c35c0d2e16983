package service

import (
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
)

// Unknown implements rest.Tools.
func (t tools) Unknown(name string, among []servers.Tool) error {
	return t.router.UnknownToolError(name, func(yield func(registry.NamedTool) bool) {
		for i := range among {
			if !yield(registry.NamedTool{Name: among[i].Namespaced, OriginalName: among[i].Name}) {
				return
			}
		}
	})
}
