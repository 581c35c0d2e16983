package catalog

import (
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// stored is what is kept of the tools of a server: of two with one name the first,
// as in the list.
func stored(id, server string, definitions [][]byte) []servers.Tool {
	tools := make([]servers.Tool, 0, len(definitions))
	seen := make(map[string]bool, len(definitions))
	for _, definition := range definitions {
		name := nameOf(definition)
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		description, _ := text(definition, "description")
		tools = append(tools, servers.Tool{
			Server: id, Name: name, Namespaced: server + "." + name, Description: description,
			InputSchema: wire.Member(definition, "inputSchema").Of(definition), Definition: definition,
		})
	}
	return tools
}

// nameOf is the name of a tool; empty if it has none, or two.
func nameOf(definition []byte) string {
	names := 0
	for raw := range wire.Members(definition) {
		if member, _ := wire.Unquote(raw); member == "name" {
			names++
		}
	}
	if names != 1 {
		return ""
	}
	name, _ := text(definition, "name")
	return name
}

func text(definition []byte, member string) (string, bool) {
	return wire.Unquote(wire.Member(definition, member).Of(definition))
}
